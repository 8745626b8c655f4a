package facts

import (
	"slices"

	"ocaptain/fleet"
)

// What the board shows at most; the journal has all.
const (
	MaxNotes   = 50
	notesOfOne = 25 // ship, which must not push out those of others
)

// Notes are the newest things that the captain was told, the oldest first. They are replaced as a whole: readers have the old ones.
type Notes []fleet.Note

// Add keeps a note, and reports whether it was there: then it only becomes newer.
func (all *Notes) Add(n fleet.Note) (again bool) {
	kept := make(Notes, 0, len(*all)+1)
	for _, old := range *all {
		if old.Ship == n.Ship && old.Task == n.Task && old.Text == n.Text {
			again = true
			continue
		}
		kept = append(kept, old)
	}
	var own []int
	for i, old := range kept {
		if n.Ship != "" && old.Ship == n.Ship {
			own = append(own, i)
		}
	}
	if len(own) >= notesOfOne {
		kept = slices.Delete(kept, own[0], own[0]+1)
	}
	kept = append(kept, n)
	*all = kept[max(0, len(kept)-MaxNotes):]
	return again
}

// Records lists the records from which the notes come about again.
func (all Notes) Records() (list []Record) {
	for _, n := range all {
		list = append(list, Record{Kind: KindNote, Data: n})
	}
	return list
}
