package facts

import (
	"slices"

	"ocaptain/fleet"
)

// Limits of what the board shows; the journal has all notes.
const (
	MaxNotes   = 50
	notesOfOne = 25 // notes of one ship, so that it cannot push out notes of other ships
)

// Notes are the newest messages to the captain, the oldest first. The slice is replaced and never changed in place, since readers
// hold older ones.
type Notes []fleet.Note

// Add adds a note. again says that the same note was there already; it only gets the new time.
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

// Records lists the records that restore the notes.
func (all Notes) Records() (list []Record) {
	for _, n := range all {
		list = append(list, Record{Kind: KindNote, Data: n})
	}
	return list
}
