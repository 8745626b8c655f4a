// Package ledger is the hub's own record of the machines that it has asked for. An entry is written before
// the request for a machine leaves, and struck out when the machine is known to be gone. It is kept
// apart from the voyages: who removes the directory of one does not forget what costs.
package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"ocaptain/sync/whole"
)

// Entry is one machine that may be there.
type Entry struct {
	Provider string    `json:"provider"`
	Name     string    `json:"name"`
	Voyage   string    `json:"voyage,omitempty"` // id, "" when that was lost
	Asked    time.Time `json:"asked,omitzero"`   // when it was last about to be asked for
	// Doomed says that it is to be destroyed, whoever has to try how often.
	Doomed bool `json:"doomed,omitempty"`
}

// Ledger has a file per machine, in one directory. The zero value is of no use; see Open.
type Ledger struct {
	dir string
	mu  sync.Mutex // a change of an entry reads it first
}

// Open returns the ledger in a directory, which is made when it is first needed.
func Open(dir string) *Ledger { return &Ledger{dir: dir} }

// A file is named after provider and machine, so that one whose content is damaged still tells both.
var fileName = regexp.MustCompile(`^([a-z]{1,20})\.([a-z0-9][a-z0-9-]{0,99})\.json$`)

func (l *Ledger) file(provider, name string) (string, error) {
	file := provider + "." + name + ".json"
	if !fileName.MatchString(file) {
		return "", fmt.Errorf("no machine can be named %.100q at %.20q", name, provider)
	}
	return filepath.Join(l.dir, file), nil
}

// Enter writes down a machine. One that is there already is overwritten.
func (l *Ledger) Enter(e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write(e)
}

func (l *Ledger) write(e Entry) error {
	file, err := l.file(e.Provider, e.Name)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(e)
	if err == nil {
		err = os.MkdirAll(l.dir, 0o700)
	}
	if err == nil {
		err = whole.Write(file, append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember the machine %s: %w", e.Name, err)
	}
	return nil
}

// Doom notes that a machine is to be destroyed. One that has no entry gets one.
func (l *Ledger) Doom(provider, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, there, err := l.read(provider, name)
	if err != nil || e.Doomed {
		return err
	}
	if !there {
		voyage, _, _ := strings.Cut(name, "-ship")
		e = Entry{Provider: provider, Name: name, Voyage: voyage}
	}
	e.Doomed = true
	return l.write(e)
}

// Strike removes the entry of a machine that is gone. One that has none is fine.
func (l *Ledger) Strike(provider, name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := l.file(provider, name)
	if err != nil {
		return nil // it never had one
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the machine %s: %w", name, err)
	}
	return nil
}

// Has reports whether there is an entry.
func (l *Ledger) Has(provider, name string) bool {
	file, err := l.file(provider, name)
	if err != nil {
		return false
	}
	_, err = os.Lstat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

// All returns all entries, by provider and name. A damaged one has what the name of its file tells.
func (l *Ledger) All() ([]Entry, error) {
	files, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the record of machines: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Entry
	for _, f := range files {
		part := fileName.FindStringSubmatch(f.Name())
		if part == nil {
			continue
		}
		e, there, err := l.read(part[1], part[2])
		if err != nil { // one that cannot be read keeps the others from nothing
			e, there = Entry{Provider: part[1], Name: part[2]}, true
			e.Voyage, _, _ = strings.Cut(part[2], "-ship")
		}
		if there {
			all = append(all, e)
		}
	}
	return all, nil
}

func (l *Ledger) read(provider, name string) (e Entry, there bool, err error) {
	file, err := l.file(provider, name)
	if err != nil {
		return e, false, err
	}
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return e, false, nil
	}
	if err != nil {
		return e, false, fmt.Errorf("the record of machine %s: %w", name, err)
	}
	if json.Unmarshal(raw, &e) != nil || e.Name != name || e.Provider != provider {
		e = Entry{Provider: provider, Name: name}
	}
	if e.Voyage == "" {
		e.Voyage, _, _ = strings.Cut(name, "-ship")
	}
	return e, true, nil
}
