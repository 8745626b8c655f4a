package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"ocaptain/fleet/summed"
	"ocaptain/tasks/journal"
)

// The kinds of journal records that voyage.json and fleet.json can be rebuilt from.
const (
	KindVoyage = "voyage.is"    // data: a Voyage
	KindFleet  = "voyage.fleet" // data: a FleetChange
)

// FleetChange is the new state of a fleet, with only those ships that changed since the record before.
type FleetChange struct {
	Serial uint64                   `json:"serial"`
	Phase  Phase                    `json:"phase"`
	Since  time.Time                `json:"since,omitzero"`
	Next   int                      `json:"next"`
	Gone   map[string]time.Duration `json:"gone,omitempty"`
	Verify *Verify                  `json:"verify,omitempty"` // nil when it did not change
	Names  []string                 `json:"names"`            // the names of all ships, in order
	Ships  []*Ship                  `json:"ships,omitempty"`
}

// Facts are what a journal says about a voyage, apart from its tasks.
type Facts struct {
	Voyage *Voyage // nil when the journal has none
	Fleet  *Fleet  // nil when the journal has none
	Orders Orders  // nil when the journal has none
}

// AddRecord updates the facts with a record. It ignores records of other kinds.
func (f *Facts) AddRecord(r journal.Record) {
	switch r.Kind {
	case KindVoyage:
		var v Voyage
		if json.Unmarshal(r.Data, &v) == nil {
			f.Voyage = &v
		}
	case KindFleet:
		var c FleetChange
		if json.Unmarshal(r.Data, &c) == nil {
			f.change(c)
		}
	case KindOrders:
		var o Orders
		if json.Unmarshal(r.Data, &o) == nil {
			f.Orders = o
		}
	}
}

func (f *Facts) change(c FleetChange) {
	if f.Fleet == nil {
		f.Fleet = &Fleet{}
	}
	all := f.Fleet
	known := append(slices.Clone(c.Ships), all.Ships...)
	all.Serial, all.Phase, all.Since, all.Next, all.Gone = c.Serial, c.Phase, c.Since, c.Next, c.Gone
	if c.Verify != nil {
		all.Verify = *c.Verify
	}
	all.Ships = nil
	for _, name := range c.Names {
		if i := slices.IndexFunc(known, func(s *Ship) bool { return s != nil && s.Name == name }); i >= 0 {
			all.Ships = append(all.Ships, known[i])
		}
	}
}

// ReadFacts reads the facts from the journal of a voyage.
func ReadFacts(d Dir) (Facts, error) {
	var f Facts
	_, err := journal.Read(d.Events(), 0, func(r journal.Record) error {
		f.AddRecord(r)
		return nil
	})
	return f, err
}

// Recorder remembers which state of a fleet the journal holds.
type Recorder struct {
	ships  map[string]string
	verify string
	last   string
}

// Change returns the change from the recorded state to f, and whether there is any. If there is, it increments f's
// serial. A change of a ship's idle time alone counts as none, since that changes all the time.
func (r *Recorder) Change(f *Fleet) (c FleetChange, changed bool, err error) {
	c = FleetChange{Phase: f.Phase, Since: f.Since, Next: f.Next, Gone: f.Gone, Names: []string{}}
	ships := make(map[string]string, len(f.Ships))
	for _, s := range f.Ships {
		plain := *s
		plain.Worked, plain.Idle = time.Time{}, 0
		raw, err := json.Marshal(plain)
		if err != nil {
			return c, false, fmt.Errorf("%s: %w", s.Name, err)
		}
		c.Names = append(c.Names, s.Name)
		if ships[s.Name] = string(raw); r.ships[s.Name] != ships[s.Name] {
			c.Ships = append(c.Ships, &plain)
		}
	}
	verify, err := json.Marshal(f.Verify)
	if err != nil {
		return c, false, err
	}
	last, err := json.Marshal(FleetChange{Phase: c.Phase, Since: c.Since, Next: c.Next, Gone: c.Gone, Names: c.Names})
	if err != nil {
		return c, false, err
	}
	if string(verify) != r.verify {
		c.Verify = &f.Verify
	}
	if len(c.Ships) == 0 && c.Verify == nil && string(last) == r.last {
		return c, false, nil
	}
	f.Serial++
	c.Serial = f.Serial
	r.ships, r.verify, r.last = ships, string(verify), string(last)
	return c, true, nil
}

// LoadVoyage reads voyage.json. If that is missing or damaged, it returns what the journal says about the voyage.
func LoadVoyage(d Dir) (Voyage, error) {
	var v Voyage
	err := summed.Read(d.Voyage(), &v)
	if err == nil {
		return v, nil
	}
	if f, e := ReadFacts(d); e == nil && f.Voyage != nil {
		return *f.Voyage, nil
	}
	return Voyage{}, err
}

// LoadFleet reads fleet.json. If that is missing or damaged, it returns what the journal says about the fleet. A
// fleet without either is empty.
func LoadFleet(d Dir) (Fleet, error) {
	f := Fleet{Phase: Fitting}
	err := summed.Read(d.FleetFile(), &f)
	if err == nil {
		return f.onlyShips(), nil
	}
	facts, e := ReadFacts(d)
	switch {
	case e == nil && facts.Fleet != nil:
		return facts.Fleet.onlyShips(), nil
	case errors.Is(err, fs.ErrNotExist) && e == nil:
		return Fleet{Phase: Fitting}, nil
	}
	return Fleet{Phase: Fitting}, err
}

// onlyShips returns f without entries that cannot be ships.
func (f *Fleet) onlyShips() Fleet {
	f.Ships = slices.DeleteFunc(f.Ships, func(s *Ship) bool { return s == nil || s.Name == "" })
	return *f
}
