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

// KindOrders is the kind of journal records with the Orders of a voyage. The last one counts.
const KindOrders = "voyage.orders"

// Orders are the files that say what ships are to do and how it is verified: the SHA-256 of each that there is, by its path below the
// voyage.
type Orders map[string]string

// ReadOrders finds out what they are now.
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

// Read reads one of the files. It fails with ChangedError when it is not what it was, and with fs.ErrNotExist when the voyage never had it.
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

// ChangedError says that one of a voyage's Orders is not what it was when the captain last agreed to it.
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
