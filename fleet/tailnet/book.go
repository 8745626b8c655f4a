package tailnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ocaptain/sync/whole"
)

// Book keeps the berths of an install, each in a file of its own. It outlives the directories of
// voyages, so that nothing on the tailnet is forgotten. Its methods may be used at the same time by
// one process.
type Book struct {
	dir string
	mu  sync.Mutex
}

// NewBook is the book in that directory, which need not be there yet.
func NewBook(dir string) *Book { return &Book{dir: dir} }

// isMachine tells whether a machine may be called so: a name that is fit for a file, too.
func isMachine(name string) bool { return letters(name, 63, "-") && name[0] != '-' }

func (b *Book) file(machine string) (string, error) {
	if !isMachine(machine) {
		return "", fmt.Errorf("%q is no name for a machine on the tailnet", machine)
	}
	return filepath.Join(b.dir, machine+".json"), nil
}

// Get returns the berth of a machine, and whether there is one.
func (b *Book) Get(machine string) (Berth, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.get(machine)
}

func (b *Book) get(machine string) (Berth, bool, error) {
	file, err := b.file(machine)
	if err != nil {
		return Berth{}, false, err
	}
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Berth{}, false, nil
	}
	var berth Berth
	if err == nil {
		if err = json.Unmarshal(raw, &berth); err != nil || berth.Machine != machine {
			err = fmt.Errorf("%s is damaged: remove the device %s in the admin console, then that file", file, machine)
		}
	}
	return berth, err == nil, err
}

// Change alters the berth of a machine, or makes one. It is on disk when Change returns.
func (b *Book) Change(machine string, fn func(*Berth)) (Berth, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	berth, _, err := b.get(machine)
	if err != nil {
		return berth, err
	}
	fn(&berth)
	berth.Machine = machine
	raw, err := json.Marshal(berth)
	if err != nil {
		return berth, err
	}
	file, err := b.file(machine)
	if err == nil {
		err = os.MkdirAll(b.dir, 0o700)
	}
	if err == nil {
		err = whole.Write(file, append(raw, '\n'), 0o600)
	}
	return berth, err
}

// Drop forgets a berth: nothing of it is left. One that has changed since stays.
func (b *Book) Drop(was Berth) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	is, there, err := b.get(was.Machine)
	if err != nil || !there || is.Key != was.Key || is.Leaving != was.Leaving {
		return err
	}
	file, err := b.file(was.Machine)
	if err != nil {
		return err
	}
	return os.Remove(file)
}

// All returns every berth that can be read, by name, and what is wrong with the others.
func (b *Book) All() ([]Berth, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	entries, err := os.ReadDir(b.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Berth
	var failed []error
	for _, e := range entries {
		machine, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !isMachine(machine) {
			continue // a file that was being written
		}
		berth, ok, err := b.get(machine)
		if failed = append(failed, err); ok {
			all = append(all, berth)
		}
	}
	return all, errors.Join(failed...)
}
