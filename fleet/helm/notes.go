package helm

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
)

// What the board shows at most; the journal has all.
const (
	maxNotes   = 50
	notesOfOne = 25 // ship, which must not push out those of others
)

// addEvent adds to the voyage's journal what the store does not.
func (v *voyage) addEvent(kind string, data any) {
	if _, err := v.journal.AddRecord(kind, data); err != nil && v.ctx.Err() == nil {
		v.log.Error("journal", "error", err)
	}
}

// addNote tells the captain something. What was said a moment ago is not said again, it
// only becomes newer.
func (v *voyage) addNote(n fleet.Note) {
	n.At, n.Text = time.Now(), v.redact(n.Text)
	if !v.notes.add(n) {
		v.addEvent(kindNote, n)
	}
	v.requestBoard()
}

// notes are the newest things that the captain was told.
type notes struct {
	mu  gosync.Mutex
	all []fleet.Note // replaced as a whole: readers have the old one
}

func (b *notes) list() []fleet.Note {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}

// add keeps a note and reports whether it was there.
func (b *notes) add(n fleet.Note) (again bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := make([]fleet.Note, 0, len(b.all)+1)
	for _, old := range b.all {
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
	b.all = kept[max(0, len(kept)-maxNotes):]
	return again
}

// tampered tells the captain what others did to the task directory, which the store
// has undone already.
func (v *voyage) tampered(all []dirstore.Tamper) {
	for _, t := range all[:min(len(all), maxNotes)] {
		if t.What == dirstore.Created {
			is := t.Change
			v.propose(fleet.Proposal{
				Task: cleanWord(t.Task), Text: cleanText(fmt.Sprintf("a task file that nobody stated was put aside as %s: %s", filepath.Base(t.Kept), is.Subject), maxText),
				Edit: &tasks.Edit{Subject: is.Subject, Description: is.Description, Blocks: is.Blocks, BlockedBy: is.BlockedBy},
			})
			continue
		}
		var text string
		switch t.What {
		case dirstore.Edited:
			text = "its file was edited (" + strings.Join(t.Fields, ", ") + ") and restored: only claims and completions through ocaptain count"
		default:
			text = "its file was " + string(t.What) + " and restored"
		}
		v.addNote(fleet.Note{Task: cleanWord(t.Task), Text: cleanText(text, maxText)})
	}
}

// passNotes passes on what the captain should know of a tree operation, as far as the ship's ration goes.
func (s *ship) passNotes(task string, notes []string) {
	for _, n := range notes[:min(len(notes), 10)] {
		s.v.mu.Lock()
		ok := s.noted.takeOne(time.Now())
		s.v.mu.Unlock()
		if !ok {
			return
		}
		s.v.addNote(fleet.Note{Ship: s.name, Task: task, Text: cleanText(n, maxText)})
	}
}
