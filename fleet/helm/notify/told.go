// Package notify calls the captain: it knows of what he was told, and runs the command that tells him.
package notify

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
)

const (
	// again is for how long a need waits until the captain is told once more.
	again = time.Hour
	// rest is the shortest time between two calls about the same ship, or the same task, for the same kind of need.
	rest = 10 * time.Minute
	// settling is how long helm may take to see again what there was before the hub slept, or helm was stopped.
	settling = 10 * time.Minute
)

// Told is of what the captain was told. It is kept in a file.
type Told struct {
	Calls []Call `json:"calls"`

	began time.Time // when this helm did
}

// Call is a need that the captain was told of.
type Call struct {
	ID    string         `json:"id"` // of the need
	Kind  fleet.NeedKind `json:"kind"`
	Who   []string       `json:"who"` // ships, or tasks
	Why   string         `json:"why"`
	First time.Time      `json:"first"`
	Last  time.Time      `json:"last"`
	Again bool           `json:"again,omitempty"` // he was told once more
	Over  bool           `json:"over,omitempty"`  // the need has ended

	unseen bool // by this helm
}

// Load reads what earlier helms have told. began is when this one did.
func Load(path string, began time.Time) (*Told, error) {
	t := &Told{}
	err := fleet.Load(path, t)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	t.began = began
	for i := range t.Calls {
		t.Calls[i].unseen = true
	}
	return t, err
}

// See takes down which needs there are. awake is since when the hub has been. It reports whether the file has to be written.
func (t *Told) See(now, awake time.Time, all []need.Need) (changed bool) {
	there := map[string]bool{}
	for i := range all {
		there[all[i].ID()] = true
	}
	for i := range all {
		changed = t.recognize(&all[i], there) || changed
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Last.After(now) { // the clock was set back
			c.First, c.Last, changed = now, now, true
		}
		switch {
		case there[c.ID]:
			c.unseen = false
		case !c.Over && now.Sub(awake) >= settling:
			c.Over, changed = true, true
		}
	}
	before := len(t.Calls)
	t.Calls = slices.DeleteFunc(t.Calls, func(c Call) bool { return c.Over && now.Sub(c.Last) >= rest })
	return changed || len(t.Calls) < before
}

// recognize finds out whether an earlier helm has announced a need. Some needs have a new id after a restart, as the time
// since when they exist is not on disk.
func (t *Told) recognize(n *need.Need, there map[string]bool) bool {
	id := n.ID()
	if t.call(id) != nil {
		return false
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		isNew := n.Since.After(c.Last) && n.Since.Before(t.began)
		if c.unseen && !isNew && !there[c.ID] && c.Kind == n.Kind && c.Why == n.Why && slices.Equal(c.Who, who(n)) {
			c.ID = id
			return true
		}
	}
	return false
}

// Next is the need to announce to the captain now, nil for none.
func (t *Told) Next(now time.Time, all []need.Need) *need.Need {
	for i := range all {
		n := &all[i]
		c := t.call(n.ID())
		switch {
		case c == nil && !t.isRecent(now, n):
			return n
		case c != nil && !c.Over && !c.Again && now.Sub(c.First) >= again:
			return n
		case c != nil && !c.Over && n.Kind == fleet.NeedUnreachable && len(c.others(n)) > 0 && now.Sub(c.Last) >= rest:
			return n // it may be another trouble
		}
	}
	return nil
}

// Add takes down that the captain was told.
func (t *Told) Add(now time.Time, n *need.Need) {
	if c := t.call(n.ID()); c != nil {
		c.Last, c.Again, c.Who = now, c.Again || now.Sub(c.First) >= again, append(c.Who, c.others(n)...)
		return
	}
	t.Calls = append(t.Calls, Call{ID: n.ID(), Kind: n.Kind, Who: who(n), Why: n.Why, First: now, Last: now})
}

// isRecent reports whether the captain was told a moment ago of all whom a need is about.
func (t *Told) isRecent(now time.Time, n *need.Need) bool {
	for _, one := range who(n) {
		if !slices.ContainsFunc(t.Calls, func(c Call) bool {
			return c.Kind == n.Kind && now.Sub(c.Last) < rest && slices.Contains(c.Who, one)
		}) {
			return false
		}
	}
	return true
}

// others are the subjects of a need that the captain has not heard of.
func (c *Call) others(n *need.Need) []string {
	return slices.DeleteFunc(slices.Clone(who(n)), func(one string) bool { return slices.Contains(c.Who, one) })
}

func (t *Told) call(id string) *Call {
	if i := slices.IndexFunc(t.Calls, func(c Call) bool { return c.ID == id }); i >= 0 {
		return &t.Calls[i]
	}
	return nil
}

// who are the ships of a need, or its tasks, or nothing in particular.
func who(n *need.Need) []string {
	switch {
	case len(n.Ships) > 0:
		return n.Ships
	case len(n.Tasks) > 0:
		return n.Tasks
	}
	return []string{n.Task}
}
