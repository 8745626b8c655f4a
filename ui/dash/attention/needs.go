// Package attention holds the captain's needs as the dashboard shows them, and decides which of them are new.
package attention

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
)

// Needs holds the needs of a board at a time. Its zero value has none.
type Needs struct {
	All   []need.Need    // the most urgent first
	later []need.Need    // what becomes a need within the hour, unless it mends itself
	rank  map[string]int // by ship, the place of its first need in All
	roots map[string]string
}

// soon is how far ahead Look searches for needs that arise with time alone.
const soon = time.Hour

// Look computes the needs of a board.
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

// IsOfStatus reports whether a need says the same as the ship's status.
func IsOfStatus(n *need.Need, s *fleet.ShipView) bool {
	return n.Kind == s.Status.Need || n.Kind == fleet.NeedSteering && s.Status.Word == fleet.Waiting
}

// HasStatus reports whether the ship's status is one of its needs.
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

// Root returns the task on hold for which a task waits and for nothing else; "" for none.
func (n *Needs) Root(task string) string {
	if root := n.roots[task]; root != task {
		return root
	}
	return ""
}

// Find returns the place of a need in the list, -1 when it is over.
func (n *Needs) Find(id string) int {
	for i := range n.All {
		if n.All[i].ID() == id {
			return i
		}
	}
	return -1
}

// Ripens reports whether time alone will make more needs of this board.
func (n *Needs) Ripens() bool { return count(n.later) > count(n.All) }

// count counts needs, one for each ship.
func count(all []need.Need) (n int) {
	for i := range all {
		n += max(1, len(all[i].Ships))
	}
	return n
}
