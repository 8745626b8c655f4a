package dash

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
)

// notes are those of a voyage's last board, without their times: one that helm makes again becomes newer there,
// and is no news.
type notes map[fleet.Note]bool

// hear keeps what helm has noted for the captain since the last board. What is about machines or the whole voyage
// is shown, too; what is about a task happens many times in a busy voyage, and is for those who look.
func (m *Model) hear() {
	b := m.v.board
	before, again := m.heard[b.Voyage.ID]
	now := make(notes, len(b.Notes))
	var news []string
	past := false
	for _, n := range b.Notes {
		key := n
		key.At = time.Time{}
		now[key] = true
		if before[key] || m.shownAsGuard(n) {
			continue
		}
		text := n.Text
		if n.Ship != "" {
			text = n.Ship + ": " + text
		}
		if again && n.Task == "" {
			news = append(news, text)
			continue
		}
		m.history = append(m.history, entry{n.At, warn, message(text)})
		past = true
	}
	if m.heard == nil {
		m.heard = map[string]notes{}
	}
	m.heard[b.Voyage.ID] = now
	if len(news) > 3 {
		for _, text := range news[2:] {
			m.keep(warn, text)
		}
		news = append(news[:2:2], fmt.Sprintf("and %d more messages: @ shows all", len(news)-2))
	}
	for _, text := range news {
		m.say(warn, text)
	}
	if past { // before other messages
		slices.SortStableFunc(m.history, func(a, b entry) int { return a.at.Compare(b.at) })
		m.history = m.history[max(0, len(m.history)-most):]
	}
}

// shownAsGuard reports whether a note says what the captain is told as a ship's or the voyage's guard.
func (m *Model) shownAsGuard(n fleet.Note) bool {
	b := m.v.board
	return b.Guard != "" && n.Text == b.Guard || slices.ContainsFunc(b.Ships, func(s fleet.ShipView) bool {
		return s.Guard != "" && strings.HasSuffix(n.Text, s.Guard)
	})
}
