// Package attention tells what is new to the captain on a board: who needs them, and what helm has noted.
package attention

import (
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/ui/dash/agentpane"
	"ocaptain/ui/words"
)

// Watch remembers who needed the captain, so that each need is told once.
type Watch struct {
	known map[string]need // of ships at the last board
	guard string          // of the voyage
	phase fleet.Phase
}

// need is what may make a ship need the captain.
type need struct {
	word  fleet.Word
	guard string
}

// News are the needs of a board that its last one did not have, and whether the voyage has just ended.
func (w *Watch) News(b *fleet.Board, now time.Time) (news []string, ended bool) {
	first := w.known == nil
	known := make(map[string]need, len(b.Ships))
	for i := range b.Ships {
		s := &b.Ships[i]
		known[s.Name] = need{s.Status.Word, s.Guard}
		was := w.known[s.Name]
		if !first && (was.word != s.Status.Word && agentpane.Troubled(s) || was.guard != s.Guard && s.Guard != "") {
			news = append(news, Reason(s, now))
		}
	}
	if !first && b.Guard != w.guard && b.Guard != "" {
		news = append([]string{clean.Line(b.Guard)}, news...)
	}
	if len(news) > 3 {
		news = append(news[:2], fmt.Sprintf("and %d more ships need you; ! goes to them", len(news)-2))
	}
	ended = !first && w.phase != b.Phase && (b.Phase == fleet.Complete || b.Phase == fleet.VerifyFailed)
	w.known, w.guard, w.phase = known, b.Guard, b.Phase
	return news, ended
}

// Reason says in words why a ship needs the captain.
func Reason(s *fleet.ShipView, now time.Time) string {
	if !agentpane.Troubled(s) && s.Guard != "" {
		return clean.Line(s.Name + ": " + s.Guard)
	}
	text := s.Name + " " + map[fleet.Word]string{
		fleet.Waiting: "waits for you", fleet.Errored: "has failed", fleet.Exited: "has exited",
		fleet.Limited: "is at a limit", fleet.Stalled: "is stalled", fleet.Unreachable: "cannot be reached",
	}[s.Status.Word]
	if s.Status.Reason != "" {
		text += ": " + s.Status.Reason
	}
	if !s.Status.Since.IsZero() && now.Sub(s.Status.Since) > time.Minute {
		text += ", for " + words.Age(now.Sub(s.Status.Since))
	}
	if s.Guard != "" {
		text += "; " + s.Guard
	}
	return clean.Line(text)
}

// Ships are those that need the captain, the most urgent first.
func Ships(b *fleet.Board) []*fleet.ShipView {
	var all []*fleet.ShipView
	for i := range b.Ships {
		if agentpane.NeedsCaptain(&b.Ships[i]) {
			all = append(all, &b.Ships[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *fleet.ShipView) int { return agentpane.Urgency(b) - agentpane.Urgency(a) })
	return all
}

// Notes remembers what helm has noted, by voyage. Its zero value remembers nothing.
type Notes struct {
	heard map[string]map[fleet.Note]bool
}

// News are the notes of a board that the last one of its voyage did not have: those to show, and those to keep only.
// What is about machines or the whole voyage is shown; what is about a task happens many times in a busy voyage, and is
// for those who look.
func (n *Notes) News(b *fleet.Board) (show []string, keep []fleet.Note) {
	before, again := n.heard[b.Voyage.ID]
	now := make(map[fleet.Note]bool, len(b.Notes))
	for _, note := range b.Notes {
		key := note
		key.At = time.Time{} // one that helm makes again becomes newer, and is no news
		now[key] = true
		if before[key] || isGuard(b, note) {
			continue
		}
		if note.Ship != "" {
			note.Text = note.Ship + ": " + note.Text
		}
		if again && note.Task == "" {
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

// isGuard tells whether a note says what the captain is told as a ship's or the voyage's guard.
func isGuard(b *fleet.Board, n fleet.Note) bool {
	return n.Guard != "" && (n.Guard == b.Guard || slices.ContainsFunc(b.Ships, func(s fleet.ShipView) bool { return s.Guard == n.Guard }))
}
