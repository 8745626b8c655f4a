// Package notify announces needs to the captain: it remembers what was announced, and runs the captain's notification
// command.
package notify

import (
	"errors"
	"io/fs"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
	"ocaptain/fleet/summed"
)

const (
	// again is how long after the first announcement of a need the second one follows.
	again = time.Hour
	// rest is the minimum time between two announcements of the same kind of need about the same ship or task.
	rest = 10 * time.Minute
	// settling is how long helm may take, after the hub slept or helm was stopped, to see again what was there before.
	settling = 10 * time.Minute
)

// Told records which needs were announced to the captain. It is stored in a file.
type Told struct {
	Calls []Call `json:"calls"`

	began time.Time // when this helm began
}

// Call is the announcement of a need.
type Call struct {
	ID    string         `json:"id"` // id of the need
	Kind  fleet.NeedKind `json:"kind"`
	Who   []string       `json:"who"` // ships or tasks
	Why   string         `json:"why"`
	First time.Time      `json:"first"`
	Last  time.Time      `json:"last"`
	Again bool           `json:"again,omitempty"` // it was announced a second time
	Over  bool           `json:"over,omitempty"`  // the need has ended

	unseen bool // this helm has not seen the need yet
}

// Load reads what earlier helms have announced. began is when this helm began.
func Load(path string, began time.Time) (*Told, error) {
	t := &Told{}
	err := summed.Read(path, t)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	t.began = began
	for i := range t.Calls {
		t.Calls[i].unseen = true
	}
	return t, err
}

// See records which needs exist. awake is since when the hub has been awake. changed says that the file has to be written.
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

// recognize looks for an announcement of this need by an earlier helm, under another id: since when a need exists is not
// always on disk, and is part of its id.
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

// Next returns the need to announce to the captain now, nil for none.
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
			return n // more ships are unreachable now, perhaps for another reason
		}
	}
	return nil
}

// Add records that a need was announced.
func (t *Told) Add(now time.Time, n *need.Need) {
	if c := t.call(n.ID()); c != nil {
		c.Last, c.Again, c.Who = now, c.Again || now.Sub(c.First) >= again, append(c.Who, c.others(n)...)
		return
	}
	t.Calls = append(t.Calls, Call{ID: n.ID(), Kind: n.Kind, Who: who(n), Why: n.Why, First: now, Last: now})
}

// isRecent reports whether needs of this kind about all of its ships or tasks were announced recently.
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

// others returns the ships or tasks of a need that this call did not name.
func (c *Call) others(n *need.Need) []string {
	return slices.DeleteFunc(slices.Clone(who(n)), func(one string) bool { return slices.Contains(c.Who, one) })
}

func (t *Told) call(id string) *Call {
	if i := slices.IndexFunc(t.Calls, func(c Call) bool { return c.ID == id }); i >= 0 {
		return &t.Calls[i]
	}
	return nil
}

// who returns the ships of a need or, without these, its tasks; nil if it is about neither.
func who(n *need.Need) []string {
	switch {
	case len(n.Ships) > 0:
		return n.Ships
	case len(n.Tasks) > 0:
		return n.Tasks
	}
	return []string{n.Task}
}
