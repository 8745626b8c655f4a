package hubs

import (
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Leases notices hubs that have become silent. Time counts only while this hub is in touch with the others.
type Leases struct {
	Own  int // number of this hub
	Term time.Duration

	heard []uint64
	since []time.Time // by hub: when this hub last heard from it, or came in touch with the others again
}

// Look returns the hubs that were silent for the whole term. heard counts the signs of life of each hub; apart says
// that this hub is not in touch with the others.
func (l *Leases) Look(now time.Time, heard []uint64, apart bool) (gone []int) {
	if apart {
		l.heard = nil
		return nil
	}
	for i, n := range heard {
		switch {
		case i >= len(l.heard):
			l.heard, l.since = append(l.heard, n), append(l.since[:i], now)
		case l.heard[i] != n:
			l.heard[i], l.since[i] = n, now
		case i != l.Own && l.Term > 0 && now.Sub(l.since[i]) >= l.Term:
			gone = append(gone, i)
		}
	}
	return gone
}

// Left lists the tasks that a hub has in its hands, and the tasks that are kept for its ships.
func Left(all tasks.Snapshot, hub int) (left []*tasks.State) {
	var ships []string
	for _, t := range all.Tasks {
		if t.Owner != "" && t.Hub == hub && t.Owner != fleet.Coordinator {
			ships = append(ships, t.Owner)
		}
		if t.From != "" && t.Hub == hub {
			ships = append(ships, t.From)
		}
		if t.HandIn != nil && t.HandIn.Hub == hub {
			ships = append(ships, t.HandIn.Owner)
		}
	}
	for _, t := range all.Open() {
		switch {
		case t.Owner == fleet.Coordinator:
		case t.InReview() && Of(t) == hub, t.Status == tasks.InProgress && t.Hub == hub, slices.Contains(ships, t.ReservedFor):
			left = append(left, t)
		}
	}
	return left
}
