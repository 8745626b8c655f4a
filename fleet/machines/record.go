package machines

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/tailnet"
	"ocaptain/sync/whole"
	"ocaptain/tasks/pattern"
)

// ID identifies a machine: its name is unique at its provider.
type ID struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
}

// IDOf identifies the machine of a ship of a voyage.
func IDOf(voyage string, s *fleet.Ship) ID { return ID{s.Provider, s.MachineName(voyage)} }

// Record is the record of a machine, from before its request until the proof that it is gone and has left the
// tailnet.
type Record struct {
	ID
	Voyage  string    `json:"voyage,omitempty"`  // id of its voyage, "" if that was lost
	Account string    `json:"account,omitempty"` // account at its provider, "" if unknown
	Asked   time.Time `json:"asked,omitzero"`    // when its last request was about to begin, or ended
	Own     string    `json:"own,omitempty"`     // its provider's id of it, "" until that is known

	// Unwanted says that it has to be destroyed. The next fields say why and since when.
	Unwanted bool      `json:"unwanted,omitempty"`
	Why      string    `json:"why,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	// Trouble is the error of the last attempt to destroy it, "" before the first.
	Trouble string `json:"trouble,omitempty"`
	// Denied is when the provider refused the captain's login in that attempt, zero if it did not.
	Denied time.Time `json:"denied,omitzero"`
	// Gone says that it is proven to be gone. The record remains because of its device in the tailnet, or because of
	// Again.
	Gone bool `json:"gone,omitempty"`
	// Again is when to look for it once more although it is proven to be gone, zero for never. Back is how often it
	// existed then.
	Again time.Time `json:"again,omitzero"`
	Back  int       `json:"back,omitempty"`

	Tailnet *tailnet.Membership `json:"tailnet,omitempty"` // its device in the captain's tailnet, nil for none

	Seen   time.Time `json:"seen,omitzero"`   // when its provider last listed it
	Missed time.Time `json:"missed,omitzero"` // when its provider's list first lacked it after Seen
	// Found is the machine as its provider lists it, if nothing else describes it.
	Found *provider.Machine `json:"found,omitempty"`
}

// Records keeps a file for each machine in one directory, apart from the voyages, so that removing a voyage's
// directory does not hide machines that cost money. Make one with Open; the zero value is not usable.
type Records struct {
	dir string
	mu  sync.Mutex // held while a change reads and writes a record
}

// Of returns the records of a hub's install.
func Of(h fleet.Hub) *Records { return Open(filepath.Join(h.State, "machines")) }

// Open returns the records in a directory, which is made when it is first needed.
func Open(dir string) *Records { return &Records{dir: dir} }

// fileName matches the name of a record's file. It contains provider and machine, so that a damaged file still names
// both.
var fileName = pattern.New(`^([a-z]{1,20})\.([a-z0-9][a-z0-9-]{0,99})\.json$`)

func (r *Records) file(id ID) (string, error) {
	file := id.Provider + "." + id.Name + ".json"
	if !fileName().MatchString(file) {
		return "", fmt.Errorf("no machine can be named %.100q at %.20q", id.Name, id.Provider)
	}
	return filepath.Join(r.dir, file), nil
}

// File returns the path of a machine's record, which may not exist. A captain who knows that the machine is gone may
// remove it.
func (r *Records) File(id ID) string {
	file, _ := r.file(id) // an error means that it has no record and so no file
	return file
}

// Put writes a record, and replaces an existing one.
func (r *Records) Put(one Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.write(one)
}

// Get returns the record of a machine, if there is one. Of an unreadable record it returns only what the file's name
// says.
func (r *Records) Get(id ID) (Record, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.get(id)
}

// Has reports whether a machine may exist: it is on record and not Gone.
func (r *Records) Has(id ID) bool {
	one, there := r.Get(id)
	return there && !one.Gone
}

// All returns all records, sorted by provider and name.
func (r *Records) All() ([]Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	files, err := os.ReadDir(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the records of machines: %w", err)
	}
	var all []Record
	for _, f := range files {
		part := fileName().FindStringSubmatch(f.Name())
		if part == nil {
			continue
		}
		if one, there := r.get(ID{part[1], part[2]}); there {
			all = append(all, one)
		}
	}
	return all, nil
}

// change edits the record of a machine, if there is one.
func (r *Records) change(id ID, fn func(*Record)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, there := r.get(id)
	if !there {
		return nil
	}
	fn(&one)
	return r.write(one)
}

// alter is change, but makes a record if there is none.
func (r *Records) alter(id ID, fn func(*Record)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, _ := r.get(id)
	fn(&one)
	return r.write(one)
}

// unwant records that a machine has to be destroyed. It makes a record if there is none, since the machine may cost
// money all the same.
func (r *Records) unwant(id ID, why string, found *provider.Machine) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, _ := r.get(id)
	if one.Unwanted && (found == nil || one.Found != nil || one.Gone) {
		return nil
	}
	if !one.Unwanted {
		one.Unwanted, one.Why, one.Since = true, why, time.Now().UTC()
	}
	one.Found = found
	return r.write(one)
}

// gone records that a machine is proven to be gone. It removes the record if the machine has no device in the tailnet and
// need not be looked for again.
func (r *Records) gone(id ID, again time.Time) (Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, there := r.get(id)
	if one.Gone && !again.IsZero() {
		one.Back++
	}
	one.Gone, one.Trouble, one.Denied, one.Missed, one.Again = true, "", time.Time{}, time.Time{}, again
	if there {
		return r.keep(one)
	}
	return one, nil
}

// keep writes a record that is still needed, and removes a record that is not. The caller holds r.mu.
func (r *Records) keep(one Record) (Record, error) {
	if one.isOver() {
		return one, r.remove(one.ID)
	}
	return one, r.write(one)
}

// isOver reports whether nothing is left to do about a machine.
func (r *Record) isOver() bool { return r.Gone && r.Tailnet == nil && r.Again.IsZero() }

// left records that a machine which is gone has left the tailnet, and removes its record if nothing is left to do. It
// ignores the membership of a later machine.
func (r *Records) left(id ID, was tailnet.Membership) (Record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, there := r.get(id)
	if there && one.Tailnet != nil && one.Tailnet.Key != was.Key {
		return one, nil
	}
	one.Tailnet = nil
	return r.keep(one)
}

// remove removes a record. The caller holds r.mu.
func (r *Records) remove(id ID) error {
	file := r.File(id)
	if file == "" {
		return nil // there was no record
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the machine %s: %w", id.Name, err)
	}
	return nil
}

func (r *Records) get(id ID) (one Record, there bool) {
	none := Record{ID: id}
	none.Voyage, _, _ = strings.Cut(id.Name, "-ship")
	file, err := r.file(id)
	if err != nil {
		return none, false
	}
	raw, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return none, false
	}
	if err != nil || json.Unmarshal(raw, &one) != nil || one.ID != id {
		return none, true
	}
	if one.Voyage == "" {
		one.Voyage = none.Voyage
	}
	return one, true
}

func (r *Records) write(one Record) error {
	file, err := r.file(one.ID)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(one)
	if err == nil {
		err = os.MkdirAll(r.dir, 0o700)
	}
	if err == nil {
		err = whole.Write(file, append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember the machine %s in %s: %w", one.Name, file, err)
	}
	return nil
}
