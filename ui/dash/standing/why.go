package standing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
)

// Cause is an open task, or a missing one, that keeps another task from being ready.
type Cause struct {
	ID      string
	Subject string   // clean
	Why     string   // clean, in words
	Path    []string // ids of the way from the task in question to this task
	State   theme.State
	Needs   bool // the captain is needed
	weight  weight
}

// weight orders causes: first come causes that will not go away by themselves.
type weight uint8

const (
	never   weight = iota // the task does not exist or waits for itself
	trouble               // the task's ship does not work on it
	unowned               // no ship does the task
	timed                 // the task waits for a time
	going
)

// MaxWhy is how many causes of a kind are listed.
const MaxWhy = 100

// Causes lists what keeps a task from being ready: the root causes first, each with the way that leads to it, and the
// tasks in between.
type Causes struct {
	Roots   []Cause
	Between []Cause
	More    int // number of causes left out
}

// Causes follows the open blockers of a task to their ends.
func (p *Tasks) Causes(id string) Causes {
	var c Causes
	start, ok := p.Place(id)
	if !ok {
		return c
	}
	s := p.Order
	from := make([]int32, len(p.All)) // the task that led to each task, the task itself for the first
	for i := range from {
		from[i] = -1
	}
	from[start] = start
	queue := []int32{start}
	var caught []int32
	for next := 0; next < len(queue); next++ {
		i := queue[next]
		t := &p.All[i]
		if t.Status != tasks.Pending && i != start {
			c.found(p, i, from)
			continue
		}
		held := len(s.Missing(i)) > 0
		for _, lost := range s.Missing(i) {
			c.lost(lost, t, p.path(from, i))
		}
		if s.Level[i] == 0 {
			caught = append(caught, i)
		}
		for _, j := range s.Before[i] {
			if p.All[j].Status == tasks.Completed {
				continue
			}
			held = true
			if from[j] < 0 {
				from[j] = i
				queue = append(queue, j)
			}
		}
		switch {
		case !held && (i != start || t.Status == tasks.Pending && p.Standings[i] != fleet.TaskReady):
			c.found(p, i, from)
		case held && i != start && len(c.Between) >= MaxWhy:
			c.More++
		case held && i != start:
			c.Between = append(c.Between, Cause{
				ID: t.ID, Subject: Subject(t), Why: "after " + p.After(i, 4), State: theme.Task(fleet.TaskBlocked), weight: going,
			})
		}
	}
	c.Roots = append(c.Roots, p.circles(caught)...)
	slices.SortStableFunc(c.Roots, func(a, b Cause) int { return cmp.Compare(a.weight, b.weight) })
	if n := len(c.Roots) - MaxWhy; n > 0 {
		c.More += n
		c.Roots = c.Roots[:MaxWhy]
	}
	return c
}

// maxRoots is how many root causes are followed, the nearest ones.
const maxRoots = 1000

// found adds a task as a root cause.
func (c *Causes) found(p *Tasks, i int32, from []int32) {
	if len(c.Roots) >= maxRoots {
		c.More++
		return
	}
	one := p.Cause(i)
	one.Path = p.path(from, i)
	c.Roots = append(c.Roots, one)
}

// lost adds a task that does not exist, for which t waits.
func (c *Causes) lost(id string, t *tasks.State, path []string) {
	if len(c.Roots) >= maxRoots {
		c.More++
		return
	}
	c.Roots = append(c.Roots, Cause{
		ID: id, Why: fmt.Sprintf("does not exist, so task %s can never be claimed", pane.Line(t.ID)), Path: append(path, id),
		State: theme.State{Glyph: "✗", Word: "missing", Style: theme.Bad}, weight: never,
	})
}

// longestWay is the longest path of a cause; of a longer path the end is shown.
const longestWay = 50

// path lists the ids from the task in question to task i.
func (p *Tasks) path(from []int32, i int32) []string {
	var ids []string
	for at := i; len(ids) < longestWay; at = from[at] {
		ids = append(ids, p.All[at].ID)
		if from[at] == at {
			break
		}
	}
	slices.Reverse(ids)
	return ids
}

// Cause says why an open task that waits for no other is not completed.
func (p *Tasks) Cause(i int32) Cause {
	t := &p.All[i]
	c := Cause{ID: t.ID, Subject: Subject(t), State: theme.Task(p.Standings[i]), weight: unowned}
	switch {
	case t.Status == tasks.InProgress:
		c.weight = going
		c.Why = "in progress on " + clean.Line(t.Owner) + Since(" for ", p.Now, t.ClaimedAt)
		if t.InReview() {
			c.Why = ReviewText(t) + Since(" for ", p.Now, t.ClaimedAt)
		}
		if s := p.Ship(t.Owner); s == nil {
			c.weight = trouble
			c.Why += ", a ship that is gone"
		} else if w := s.Status.Word; w != fleet.Working && w != fleet.Unknown {
			c.weight, c.Needs = trouble, p.Needs.HasStatus(s)
			c.Why += fmt.Sprintf(", which is %s", pane.Line(string(w)))
			if s.Status.Reason != "" {
				c.Why += ": " + Brief(s.Status.Reason)
			}
		}
	case t.OnHold:
		c.weight, c.Needs = trouble, true
		c.Why = "on hold, press R to requeue it"
		if t.Reason != "" {
			c.Why += ": " + Brief(t.Reason)
		}
	case t.InReview():
		c.weight = going
		c.Why = ReviewText(t) + Since(", handed in ", p.Now, t.HandIn.At) + " ago"
	case t.RemainingDelay(p.Now) > 0:
		c.weight = timed
		c.Why = "waits until " + Clock(p.Now, t.NotBefore)
		if t.Reason != "" {
			c.Why += ": " + Brief(t.Reason)
		}
	case t.ReservedFor != "":
		c.Why = "ready, kept for " + clean.Line(t.ReservedFor)
		if g := t.Group(); g != "" {
			c.Why += " with its group " + Brief(g)
		}
	case !p.afloat():
		c.Why = "ready, but there is no ship to claim it"
	default:
		c.Why = "ready, but no ship has claimed it"
	}
	return c
}

// circles returns causes for tasks that wait for each other: at least one circle for each knot of caught tasks.
func (p *Tasks) circles(caught []int32) []Cause {
	var all []Cause
	walked := map[int32]int{}
	for n, i := range caught {
		var way []int32
		for at := i; at >= 0 && walked[at] == 0; at = p.knot(at) {
			walked[at] = n + 1
			way = append(way, at)
			next := p.knot(at)
			if next < 0 || walked[next] != n+1 {
				continue
			}
			ring := slices.Clone(way[slices.Index(way, next):])
			slices.Reverse(ring)
			var names []string
			for _, j := range ring[:min(len(ring), 12)] {
				names = append(names, clean.Line(p.All[j].ID))
			}
			if len(ring) > 12 {
				names = append(names, fmt.Sprintf("%d more", len(ring)-12))
			}
			names = append(names, names[0])
			t := &p.All[ring[0]]
			all = append(all, Cause{
				ID: t.ID, Subject: Subject(t), Why: strings.Join(names, " → ") + " wait for each other",
				State: theme.State{Glyph: "✗", Word: "cycle", Style: theme.Bad}, weight: never,
			})
		}
	}
	return all
}

// knot returns an open blocker that is on a circle or waits behind a circle, -1 for none. i is such a task itself.
func (p *Tasks) knot(i int32) int32 {
	for _, j := range p.Order.Before[i] {
		if p.Order.Level[j] == 0 && p.All[j].Status != tasks.Completed {
			return j
		}
	}
	return -1
}

// Ship returns the ship of that name, or nil.
func (p *Tasks) Ship(name string) *fleet.ShipView {
	for i := range p.Board.Ships {
		if p.Board.Ships[i].Name == name {
			return &p.Board.Ships[i]
		}
	}
	return nil
}

// afloat reports whether any ship could claim a task.
func (p *Tasks) afloat() bool {
	for i := range p.Board.Ships {
		if ph := p.Board.Ships[i].Phase; ph == fleet.Afloat || ph == fleet.Provisioning || ph == fleet.Planned || ph == "" {
			return true
		}
	}
	return false
}
