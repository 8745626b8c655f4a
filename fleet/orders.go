package fleet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// KindOrders is the kind of journal records that hold the Orders of a voyage. The last record counts.
const KindOrders = "voyage.orders"

// Orders are the files that say what ships have to do and how their work is verified: the SHA-256 of each existing file, by its path
// below the voyage.
type Orders map[string]string

// ReadOrders hashes the files as they are now.
func (d Dir) ReadOrders() (Orders, error) {
	all := Orders{}
	for _, path := range []string{d.Prompt(), d.RolePrompt(Planner), d.RolePrompt(Validator), d.SpecFile(), d.VerifyFile()} {
		raw, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		default:
			all[d.below(path)] = digest(raw)
		}
	}
	return all, nil
}

// Read reads one of the files. It fails with a *ChangedError when the file has changed since the Orders were made, and with fs.ErrNotExist
// when the voyage never had the file.
func (o Orders) Read(d Dir, path string) ([]byte, error) {
	name := d.below(path)
	was, had := o[name]
	raw, err := os.ReadFile(path)
	gone := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && (!gone || !had):
		return nil, err
	case gone != !had || digest(raw) != was:
		return nil, &ChangedError{Voyage: d.ID(), Path: path, Gone: gone}
	}
	return raw, nil
}

func (d Dir) below(path string) string {
	return strings.TrimPrefix(path, string(d)+string(filepath.Separator))
}

func digest(raw []byte) string { return fmt.Sprintf("%x", sha256.Sum256(raw)) }

// ChangedError says that one of a voyage's Orders has changed since the captain last agreed to it.
type ChangedError struct {
	Voyage, Path string
	Gone         bool
}

func (e *ChangedError) Error() string {
	how := "was changed"
	if e.Gone {
		how = "is gone"
	}
	return fmt.Sprintf("%s %s: put it back, or agree to that: ocaptain verify --accept %s", e.Path, how, e.Voyage)
}
