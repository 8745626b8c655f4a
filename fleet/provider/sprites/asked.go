package sprites

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A sprite that was asked for may come although nobody waits for the answer any more. So a file
// says that it was asked for, from before that until it is known what became of it.

func (p *Provider) file(name string) string { return filepath.Join(p.options.Dir, name) }

// ask remembers that a sprite is asked for now.
func (p *Provider) ask(name string) error {
	err := os.MkdirAll(p.options.Dir, 0o700)
	if err == nil {
		err = os.WriteFile(p.file(name), []byte(time.Now().UTC().Format(time.RFC3339)+"\n"), 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember that it is asked for: %w", err)
	}
	return nil
}

// expected tells whether a sprite was asked for and has not been seen since.
func (p *Provider) expected(name string) bool {
	if p.options.Dir == "" {
		return false
	}
	_, err := os.Lstat(p.file(name))
	return !errors.Is(err, fs.ErrNotExist)
}

// known forgets that a sprite was asked for, as it is there, or will not come.
func (p *Provider) known(name string) error {
	if p.options.Dir == "" {
		return nil
	}
	if err := os.Remove(p.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget that sprite %s was asked for: %w", name, err)
	}
	return nil
}
