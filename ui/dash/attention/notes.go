package attention

import (
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/need"
)

// Notes remembers what helm has noted, by voyage. Its zero value remembers nothing.
type Notes struct {
	heard map[string]map[fleet.Note]bool
}

// News are the notes of a board that the last one of its voyage did not have: those to show, and those to keep only.
// What is about machines or the whole voyage is shown; what is about a task happens many times in a busy voyage, and is
// for those who look. What is a need, or is about to be one, is told as such.
func (n *Notes) News(b *fleet.Board, needs *Needs) (show []string, keep []fleet.Note) {
	before, again := n.heard[b.Voyage.ID]
	now := make(map[fleet.Note]bool, len(b.Notes))
	for _, note := range b.Notes {
		key := note
		key.At = time.Time{} // a note that helm makes again has a new time, and is no news
		now[key] = true
		if before[key] {
			continue
		}
		tells := needs.tells(&note)
		if note.Ship != "" {
			note.Text = note.Ship + ": " + note.Text
		}
		if again && note.Task == "" && !tells {
			show = append(show, note.Text)
		} else {
			keep = append(keep, note)
		}
	}
	if n.heard == nil {
		n.heard = map[string]map[fleet.Note]bool{}
	}
	n.heard[b.Voyage.ID] = now
	return show, keep
}

// tells reports whether a need says what a note says.
func (n *Needs) tells(note *fleet.Note) bool {
	says := func(need need.Need) bool {
		same := note.Guard != "" && note.Guard == need.Why || strings.Contains(note.Text, strings.TrimSuffix(need.Why, "…")) || strings.Contains(need.Why, note.Text)
		return same && (note.Ship == "" || len(need.Ships) == 0 || slices.Contains(need.Ships, note.Ship))
	}
	return slices.ContainsFunc(n.All, says) || slices.ContainsFunc(n.later, says)
}
