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
	// Account is whose it is at its provider, "" when nothing tells: earlier versions kept none.
	Account string `json:"account,omitempty"`
	// Doomed says that it is to be destroyed, whoever has to try how often.
	Doomed bool `json:"doomed,omitempty"`
	// Why is what the last attempt to destroy a doomed machine failed of, "" before there was one.
	Why string `json:"why,omitempty"`
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
		return fmt.Errorf("remember the machine %s in %s: %w", e.Name, file, err)
	}
	return nil
}

// Doom notes that a machine is to be destroyed, and why that has not been done. One that has no entry
// gets one, and so does one whose entry cannot be read: it costs all the same.
func (l *Ledger) Doom(provider, name, why string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, there, err := l.read(provider, name)
	if err != nil || !there {
		voyage, _, _ := strings.Cut(name, "-ship")
		e = Entry{Provider: provider, Name: name, Voyage: voyage}
		if err != nil {
			e.Asked = time.Now().UTC() // at some time it was
		}
	}
	if e.Doomed && e.Why == why {
		return nil
	}
	e.Doomed, e.Why = true, why
	return l.write(e)
}

// Failed notes why a doomed machine is not destroyed yet. One that has been struck out stays so.
func (l *Ledger) Failed(provider, name, why string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, there, err := l.read(provider, name)
	if err != nil || !there || !e.Doomed || e.Why == why {
		return err
	}
	e.Why = why
	return l.write(e)
}

// Learn notes whose a machine is at its provider, where that was not known.
func (l *Ledger) Learn(provider, name, account string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, there, err := l.read(provider, name)
	if err != nil || !there || e.Account != "" || account == "" {
		return err
	}
	e.Account = account
	return l.write(e)
}

// Get returns the entry of a machine, and whether there is one. Of one that is damaged or cannot be read
// there is what the name of its file tells.
func (l *Ledger) Get(provider, name string) (Entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, there, err := l.read(provider, name)
	if err != nil {
		return Entry{Provider: provider, Name: name}, l.Has(provider, name)
	}
	return e, there
}

// File is where the entry of a machine is, or would be. A captain who knows better may remove it.
func (l *Ledger) File(provider, name string) string {
	file, _ := l.file(provider, name) // what has no entry has no file
	return file
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
