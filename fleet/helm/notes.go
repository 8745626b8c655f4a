package helm

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks/dirstore"
)

// What the board shows at most; the journal has all.
const (
	maxNotes   = 50
	notesOfOne = 25 // ship, which must not push out those of others
)

// event adds to the voyage's journal what the store does not.
func (v *voyage) event(kind string, data any) {
	if _, err := v.journal.Note(kind, data); err != nil && v.ctx.Err() == nil {
		v.log.Error("journal", "error", err)
	}
}

// note tells the captain something. What was said a moment ago is not said again, it
// only becomes newer.
func (v *voyage) note(n fleet.Note) {
	n.Text = v.redact(n.Text)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.noteLocked(n)
}

// noteLocked is note for who holds v.mu, and says nothing that would have to be redacted.
func (v *voyage) noteLocked(n fleet.Note) {
	n.At = time.Now()
	if !v.keepNote(n) {
		v.event(kindNote, n)
	}
	v.touchLocked()
}

// keepNote adds a note to those of the board and reports whether it was there. The
// caller holds v.mu.
func (v *voyage) keepNote(n fleet.Note) (again bool) {
	kept := make([]fleet.Note, 0, len(v.notes)+1) // readers of the board have the old one
	for _, old := range v.notes {
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
	v.notes = kept[max(0, len(kept)-maxNotes):]
	return again
}

// tampered tells the captain what others did to the task directory, which the store
// has undone already.
func (v *voyage) tampered(all []dirstore.Tamper) {
	for _, t := range all[:min(len(all), maxNotes)] {
		var text string
		switch t.What {
		case dirstore.Annotated:
			text = "metadata in its file was not taken: it steers ocaptain, or is too much"
		case dirstore.Edited:
			text = "its file was edited (" + strings.Join(t.Fields, ", ") + ") and restored: only claims and completions through ocaptain count"
		case dirstore.Created:
			text = fmt.Sprintf("a task file was added and put aside as a proposal: %s", t.Kept)
		default:
			text = "its file was " + string(t.What) + " and restored"
		}
		v.note(fleet.Note{Task: word(t.Task), Text: clean(text, maxText)})
	}
}
