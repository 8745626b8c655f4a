package tokens

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// olds are the files in which earlier builds kept tokens. They are read as long as there is no
// new one, and moved when helm starts.
var olds = map[string]struct {
	file string
	read func(file string) (Token, error)
}{
	"sprites": {"sprites.json", read},
	"exedev":  {"exedev.token", readText},
}

// readText reads a file that has nothing but the token.
func readText(file string) (Token, error) {
	raw, err := readSmall(file)
	return Token{Secret: strings.TrimSpace(string(raw))}, err
}

// old is the token that an earlier build kept, or none.
func (s Store) old(service string) (Token, error) {
	o, ok := olds[service]
	if !ok {
		return Token{}, nil
	}
	t, err := o.read(filepath.Join(s.state, o.file))
	if errors.Is(err, fs.ErrNotExist) {
		return Token{}, nil
	}
	return t, err
}

func (s Store) forgetOld(service string) error {
	o, ok := olds[service]
	if !ok {
		return nil
	}
	if err := os.Remove(filepath.Join(s.state, o.file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Adopt moves what earlier builds kept into the store. A token that is kept there already wins.
// What cannot be read stays, and is told when it is asked for.
func (s Store) Adopt() error {
	var failed []error
	for service := range olds {
		if _, err := os.Lstat(s.File(service)); err == nil {
			failed = append(failed, s.forgetOld(service))
			continue
		}
		if t, err := s.old(service); err == nil && t.Secret != "" {
			failed = append(failed, s.Keep(service, t))
		}
	}
	return errors.Join(failed...)
}
