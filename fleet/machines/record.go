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

// ID names a machine: no two have the same name at one provider.
type ID struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
}

// Record is one machine that was asked for, from before that until it is proven to be gone, and what it has on
// the tailnet too.
type Record struct {
	ID
	Voyage  string    `json:"voyage,omitempty"`  // its id, "" when that was lost
	Account string    `json:"account,omitempty"` // whose it is at its provider, "" when nothing tells
	Asked   time.Time `json:"asked,omitzero"`    // when it was last about to be asked for, or that ended
	Own     string    `json:"own,omitempty"`     // its provider's id of it, "" until that is known

	// Unwanted says that it is to be destroyed: why and since when.
	Unwanted bool      `json:"unwanted,omitempty"`
	Why      string    `json:"why,omitempty"`
	Since    time.Time `json:"since,omitzero"`
	// Trouble is how the last attempt to destroy it ended, "" before there was one.
	Trouble string `json:"trouble,omitempty"`
	// Denied is when it ended so because the provider takes no login of the captain's, zero when it did not.
	Denied time.Time `json:"denied,omitzero"`
	// Gone says that it is proven to be gone, and is on record for what it has on the tailnet, or for Again.
	Gone bool `json:"gone,omitempty"`
	// Again is when it is looked for once more although it is proven to be gone, zero for never. Back
	// is how often it was there then.
	Again time.Time `json:"again,omitzero"`
	Back  int       `json:"back,omitempty"`

	Tailnet *tailnet.Membership `json:"tailnet,omitempty"` // what it has on the captain's tailnet, nil for nothing

	Seen   time.Time `json:"seen,omitzero"`   // when its provider last told of it
	Missed time.Time `json:"missed,omitzero"` // when it was first looked for in vain since then
	// Found is the machine as its provider's list describes it, for a machine that nothing else here
	// describes.
	Found *provider.Machine `json:"found,omitempty"`
}

// Records keeps a file per machine in one directory, apart from the voyages: who removes the directory of one does
// not forget what costs. The zero value is of no use; see Open.
type Records struct {
	dir string
	mu  sync.Mutex // a change of a record reads it first
}

// Of returns the records of a hub's install.
func Of(h fleet.Hub) *Records { return Open(filepath.Join(h.State, "machines")) }

// Open returns the records in a directory, which is made when it is first needed.
func Open(dir string) *Records { return &Records{dir: dir} }

// A file is named after provider and machine, so that one whose content is damaged still tells both.
var fileName = pattern.New(`^([a-z]{1,20})\.([a-z0-9][a-z0-9-]{0,99})\.json$`)

func (r *Records) file(id ID) (string, error) {
	file := id.Provider + "." + id.Name + ".json"
	if !fileName().MatchString(file) {
		return "", fmt.Errorf("no machine can be named %.100q at %.20q", id.Name, id.Provider)
	}
	return filepath.Join(r.dir, file), nil
}

// File is where the record of a machine is, or would be. A captain who knows better may remove it.
func (r *Records) File(id ID) string {
	file, _ := r.file(id) // what has no record has no file
	return file
}

// Put writes down a machine. A record that is there is replaced.
func (r *Records) Put(one Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.write(one)
}

// Get returns the record of a machine and whether there is one. An unreadable record has only what its file's
// name tells.
func (r *Records) Get(id ID) (Record, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.get(id)
}

// Has reports whether a machine may be there: it is on record, and not as gone.
func (r *Records) Has(id ID) bool {
	one, there := r.Get(id)
	return there && !one.Gone
}

// All returns all records, by provider and name.
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

// change alters the record of a machine, if there is one.
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

// alter is change for a machine that gets a record when it has none.
func (r *Records) alter(id ID, fn func(*Record)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	one, _ := r.get(id)
	fn(&one)
	return r.write(one)
}

// unwant notes that a machine is to be destroyed. One without a record gets one: it may cost all the same.
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

// gone notes that a machine is proven to be gone, and forgets it when it has nothing left on the tailnet and is not looked
// for again.
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

// keep writes a record that is needed, and removes any other. The caller holds r.mu.
func (r *Records) keep(one Record) (Record, error) {
	if one.isOver() {
		return one, r.remove(one.ID)
	}
	return one, r.write(one)
}

// isOver reports whether nothing is left to be done about a machine.
func (r *Record) isOver() bool { return r.Gone && r.Tailnet == nil && r.Again.IsZero() }

// left notes that a gone machine has left the tailnet, and forgets it. A machine that joins later is another.
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
		return nil // it never had one
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
