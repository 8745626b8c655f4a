// Package attention holds what needs the captain as the dashboard shows it, and tells what of that is new.
package attention

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
)

// Needs is what need.All finds on a board at a time. Its zero value is nothing.
type Needs struct {
	All   []need.Need    // the most urgent first
	later []need.Need    // what is one within the hour, unless it mends itself
	rank  map[string]int // of each ship that one is about, in All
	roots map[string]string
}

// soon is how far ahead it is looked for what time alone makes a need.
const soon = time.Hour

// Look finds what needs the captain.
func Look(now time.Time, b *fleet.Board, away need.Away) *Needs {
	n := &Needs{
		All: need.All(now, b, away), later: need.All(now.Add(soon), b, away),
		rank: map[string]int{}, roots: need.Roots(b),
	}
	for i := range n.All {
		need := &n.All[i]
		for _, ship := range need.Ships {
			if _, known := n.rank[ship]; !known {
				n.rank[ship] = i
			}
		}
	}
	return n
}

// Rank orders ships: first the ships that need the captain, in the order of their needs, then all others.
func (n *Needs) Rank(ship string) int {
	if i, ok := n.rank[ship]; ok {
		return i
	}
	return len(n.All)
}

// Has reports whether a ship needs the captain.
func (n *Needs) Has(ship string) bool { return n.Rank(ship) < len(n.All) }

// IsOfStatus reports whether a need is what the ship's status tells.
func IsOfStatus(n *need.Need, s *fleet.ShipView) bool {
	return n.Kind == s.Status.Need || n.Kind == fleet.NeedSteering && s.Status.Word == fleet.Waiting
}

// HasStatus reports whether the ship needs the captain for what its status tells.
func (n *Needs) HasStatus(s *fleet.ShipView) bool {
	for _, need := range n.Of(s.Name) {
		if IsOfStatus(need, s) {
			return true
		}
	}
	return false
}

// Of lists the needs of a ship.
func (n *Needs) Of(ship string) (all []*need.Need) {
	for i := n.Rank(ship); i < len(n.All); i++ {
		for _, name := range n.All[i].Ships {
			if name == ship {
				all = append(all, &n.All[i])
			}
		}
	}
	return all
}

// Root is the task on hold that a task waits for and for nothing else, "" when it waits for more.
func (n *Needs) Root(task string) string {
	if root := n.roots[task]; root != task {
		return root
	}
	return ""
}

// Find is the place of a need in the list, -1 when it is over.
func (n *Needs) Find(id string) int {
	for i := range n.All {
		if n.All[i].ID() == id {
			return i
		}
	}
	return -1
}

// Ripens reports whether time alone makes more of what is on the board a need.
func (n *Needs) Ripens() bool { return count(n.later) > count(n.All) }

// count is how many needs there are, one for each ship.
func count(all []need.Need) (n int) {
	for i := range all {
		n += max(1, len(all[i].Ships))
	}
	return n
}
