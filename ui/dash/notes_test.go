package dash

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
)

// TestNotes shows each of helm's notes once: notes about machines as they come, notes about tasks only among all
// messages.
func TestNotes(t *testing.T) {
	b := aBoard(t)
	b.Notes = []fleet.Note{{At: noon.Add(-time.Hour), Ship: "ship-1", Text: "it does not join the tailnet"}}
	s := setStage(t, 100, 30, b, nil, nil)
	s.shows("ship-1")
	if screen := s.text(); strings.Contains(screen, "tailnet") {
		t.Errorf("what is an hour old comes as news:\n%s", screen)
	}
	next := func(notes ...fleet.Note) {
		board := *b
		board.Notes = notes
		s.run(s.m.setBoard(&board))
	}
	old := b.Notes[0]
	stays := fleet.Note{At: noon, Ship: "ship-2", Text: "its machine could not be destroyed\x1b[2J\nand may cost on"}
	next(old, fleet.Note{At: noon, Ship: "ship-1", Task: "3", Text: "was told no: owned by ship-2"}, stays)
	if screen := s.text(); !strings.Contains(screen, "ship-2: its machine could not be destroyed") || strings.Contains(screen, "was told no") {
		t.Errorf("the screen shows:\n%s", screen)
	}
	s.m.toasts.Shown = nil
	stays.At = noon.Add(time.Minute) // helm notes it again
	next(old, stays)
	if len(s.m.toasts.Shown) > 0 {
		t.Errorf("told twice: %+v", s.m.toasts.Shown)
	}
	next(old, stays, fleet.Note{Text: "one"}, fleet.Note{Text: "two"}, fleet.Note{Text: "three"}, fleet.Note{Text: "four"})
	if screen := s.text(); !strings.Contains(screen, "two") || strings.Contains(screen, "four") || !strings.Contains(screen, "and 2 more messages") {
		t.Errorf("the screen shows:\n%s", screen)
	}
	s.press("@")
	s.shows("11:00:00 ! ship-1: it does not join the tailnet", "ship-1: was told no: owned by ship-2", "ship-2: its machine could not be destroyed", "four")
	if n := strings.Count(s.text(), "destroyed"); n != 1 {
		t.Errorf("%d times:\n%s", n, s.text())
	}
}
