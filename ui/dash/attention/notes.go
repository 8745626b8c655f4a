package attention

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
)

// Notes remembers helm's notes, by voyage. Its zero value remembers none.
type Notes struct {
	heard map[string]map[fleet.Note]bool
}

// most is the largest number of texts that are shown at once.
const most = 3

// News returns the notes of a board that the voyage's last board did not have, to show or only to keep. Notes about machines or the whole
// voyage are shown, at most three texts at once; notes about a task are frequent in a busy voyage, and only kept in the list. A note that
// says the same as a need, or a coming one, is only kept, as the need is announced.
func (n *Notes) News(b *fleet.Board, needs *Needs) (show []string, keep []fleet.Note) {
	before, again := n.heard[b.Voyage.ID]
	now := make(map[fleet.Note]bool, len(b.Notes))
	var shown []fleet.Note
	for _, note := range b.Notes {
		key := note
		key.At = time.Time{} // a note that helm repeats has a new time, and is not new
		now[key] = true
		if before[key] {
			continue
		}
		tells := needs.tells(&note)
		if note.Ship != "" {
			note.Text = note.Ship + ": " + note.Text
		}
		if again && note.Task == "" && !tells {
			shown = append(shown, note)
		} else {
			keep = append(keep, note)
		}
	}
	if len(shown) > most {
		more := shown[most-1:]
		keep = append(keep, more...)
		shown = append(shown[:most-1:most-1], fleet.Note{Text: fmt.Sprintf("and %d more messages: @ shows all", len(more))})
	}
	for _, note := range shown {
		show = append(show, note.Text)
	}
	if n.heard == nil {
		n.heard = map[string]map[fleet.Note]bool{}
	}
	n.heard[b.Voyage.ID] = now
	return show, keep
}

// tells reports whether a need says the same as a note.
func (n *Needs) tells(note *fleet.Note) bool {
	says := func(need need.Need) bool {
		same := note.Guard != "" && note.Guard == need.Why || strings.Contains(note.Text, strings.TrimSuffix(need.Why, "…")) || strings.Contains(need.Why, note.Text)
		return same && (note.Ship == "" || len(need.Ships) == 0 || slices.Contains(need.Ships, note.Ship))
	}
	return slices.ContainsFunc(n.All, says) || slices.ContainsFunc(n.later, says)
}
