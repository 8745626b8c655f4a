// Package roster keeps a voyage's fleet: its phase and its ships, in memory, in fleet.json and in the journal.
package roster

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/wake"
)

// kindPhase is the kind of the journal's records of a new phase.
const kindPhase = "voyage.phase"

// Options say what a Roster needs.
type Options struct {
	Dir   fleet.Dir
	Files *kept.Files
	Book  *book.Book
	Log   *slog.Logger
	News  *wake.News  // is sent when the phase has changed
	Paint wake.Signal // is sent when the fleet has changed

	Closed error // is returned by Save after Close
}

// Roster is a voyage's fleet. Its methods are safe for concurrent use. Methods that alter the fleet exclude each
// other; only methods that write fleet.json wait for the disk.
type Roster struct {
	o   Options
	now atomic.Pointer[fleet.Fleet]

	mu       sync.Mutex     // held while the fleet is altered
	changes  uint64         // of the fleet
	recorder fleet.Recorder // knows which changes of the fleet the journal has
	recorded error          // why the journal does not tell of all changes, nil when it does, or will

	file struct {
		mu     sync.Mutex // held while fleet.json is written; before Roster.mu
		saved  uint64     // changes of the fleet that the file has
		closed bool       // nothing is written any more
	}
}

// New returns the Roster of a fleet. The recorder knows which changes of the fleet the journal has.
func New(o Options, f fleet.Fleet, recorder fleet.Recorder) *Roster {
	r := &Roster{o: o, recorder: recorder}
	r.now.Store(&f)
	return r
}

// Now returns the fleet, as a value that never changes. The caller must not change it.
func (r *Roster) Now() *fleet.Fleet { return r.now.Load() }

// Ship returns a ship as it is now, nil for none. The caller must not change it.
func (r *Roster) Ship(name string) *fleet.Ship { return r.Now().ShipNamed(name) }

// Afloat returns an error for a voyage that is being sunk or is sunk.
func (r *Roster) Afloat() error { return Refuse(r.Now().Phase) }

// Refuse returns the error of Afloat for a voyage in this phase.
func Refuse(p fleet.Phase) error {
	if p == fleet.Sinking || p == fleet.Sunk {
		return api.Refused("the voyage is %s", p)
	}
	return nil
}

// Alter alters the fleet and records the change in the journal. The caller calls Save once it holds no lock. fn waits for nothing, and may
// keep nothing of the fleet that it gets.
func (r *Roster) Alter(fn func(*fleet.Fleet)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.Now().Phase
	f := r.alter(fn)
	if f.Phase != was {
		f.Since = time.Now()
		r.o.Book.Add(kindPhase, map[string]any{"phase": f.Phase})
	}
	r.record(f)
	r.now.Store(f)
	if f.Phase != was {
		r.o.News.Send() // after the store, so that the goroutines that it wakes see the new phase
	}
	r.o.Paint.Send()
}

// alter returns the fleet as fn alters it. The caller holds r.mu.
func (r *Roster) alter(fn func(*fleet.Fleet)) *fleet.Fleet {
	f := *r.Now()
	f.Gone, f.Ships = maps.Clone(f.Gone), slices.Clone(f.Ships)
	for i, s := range f.Ships {
		own := *s
		f.Ships[i] = &own
	}
	fn(&f)
	return &f
}

// Look alters what the fleet says about what helm saw ships do, which the journal does not record. fn reports whether
// Save has to write fleet.json.
func (r *Roster) Look(fn func(*fleet.Fleet) (save bool)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f := r.alter(func(f *fleet.Fleet) {
		if fn(f) {
			r.changes++
		}
	})
	r.now.Store(f)
}

// Change alters the fleet and writes fleet.json. When that fails, the change holds all the same, and a later Save writes it.
func (r *Roster) Change(fn func(*fleet.Fleet)) error {
	r.Alter(fn)
	return r.Save()
}

// ChangeAnyway is Change that keeps the change in memory even if it cannot be written now.
func (r *Roster) ChangeAnyway(fn func(*fleet.Fleet)) {
	r.Alter(fn)
	r.SaveAnyway()
}

// ChangeShip is ChangeAnyway for one ship, if that is still there.
func (r *Roster) ChangeShip(name string, fn func(*fleet.Ship)) {
	r.ChangeAnyway(func(f *fleet.Fleet) {
		if s := f.ShipNamed(name); s != nil {
			fn(s)
		}
	})
}

// Outdate makes the next Save write fleet.json although the fleet has not changed.
func (r *Roster) Outdate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
}

// Restate records the whole fleet in the journal.
func (r *Roster) Restate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recorder = fleet.Recorder{}
	r.recordNow() // and fleet.json gets the serial that the journal has now
}

// Record journals the changes of the fleet since the last record.
func (r *Roster) Record() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recordNow()
}

// recordNow is record for a fleet that was not altered. The caller holds r.mu.
func (r *Roster) recordNow() {
	f := *r.Now()
	r.record(&f)
	r.now.Store(&f)
}

// record adds to the book what has changed of the fleet, which increases its serial, and makes the next Save write fleet.json. The caller
// holds r.mu.
func (r *Roster) record(f *fleet.Fleet) {
	r.changes++
	c, changed, err := r.recorder.Change(f)
	if err == nil && changed {
		r.o.Book.Add(fleet.KindFleet, c)
	}
	r.recorded = err
}

// NotWritten records that the journal could not be written: the next record holds the whole fleet.
func (r *Roster) NotWritten(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recorder, r.recorded = fleet.Recorder{}, err
}

// Recorded returns why the journal does not tell of all changes, nil when it does, or will.
func (r *Roster) Recorded() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recorded
}

// Save writes fleet.json, unless another call has written it since the last change. Calls that wait while the file is being written
// are answered by one more write. The caller holds no lock: ships and dashboards would wait for the disk.
func (r *Roster) Save() error {
	r.file.mu.Lock()
	defer r.file.mu.Unlock()
	if r.file.closed {
		return r.o.Closed
	}
	r.mu.Lock()
	if r.recorded != nil {
		r.recordNow()
	}
	upTo, f := r.changes, r.Now()
	r.mu.Unlock()
	r.o.Book.Flush()
	var err error
	if upTo != r.file.saved {
		err = r.o.Files.Write(r.o.Dir.FleetFile(), f, 0o600)
	}
	if err == nil {
		r.file.saved = upTo
	}
	return errors.Join(r.Recorded(), err)
}

// SaveAnyway is Save for callers that continue even if the fleet cannot be written now.
func (r *Roster) SaveAnyway() {
	if err := r.Save(); err != nil {
		r.o.Log.Error("fleet.json", "error", err)
	}
}

// IsSunk reports whether the voyage is sunk, also by its files.
func (r *Roster) IsSunk() bool { return r.Now().Phase == fleet.Sunk && r.IsSaved() }

// IsSaved reports whether the journal and fleet.json have all changes of the fleet.
func (r *Roster) IsSaved() bool {
	r.o.Book.Flush()
	r.file.mu.Lock()
	defer r.file.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recorded == nil && r.file.saved == r.changes
}

// Close waits until fleet.json is written. Later calls of Save write nothing.
func (r *Roster) Close() {
	r.file.mu.Lock()
	defer r.file.mu.Unlock()
	r.file.closed = true
}
