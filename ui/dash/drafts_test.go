package dash

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/keys"
)

// Esc keeps a message that is not sent. It is there again for the next addressee, and gone once it is sent.
func TestDraft(t *testing.T) {
	s := setStage(t, 120, 40, aBoard(t), nil, nil)
	asked := s.helm()
	s.m.v.Agents.Select("ship-0")
	s.press("m")
	s.do(tea.PasteMsg{Content: "run the tests"})
	s.press("esc")
	s.m.v.Agents.Select("ship-1")
	s.press("m")
	s.shows("Message to ship-1 · your draft", "run the tests")
	s.press("ctrl+s")
	if got := s.next(asked); !strings.Contains(got.path, "/ship-1/") || !strings.Contains(got.body, "run the tests") {
		t.Errorf("helm is asked for %+v", got)
	}
	s.press("m")
	if text := s.text(); strings.Contains(text, "your draft") || strings.Contains(text, "run the tests") {
		t.Errorf("it is there once more:\n%s", text)
	}
}

// A message to an agent that takes none is refused before it is written.
func TestNoMessage(t *testing.T) {
	b := aBoard(t)
	for i := range b.Ships {
		b.Ships[i].Agent = "script"
	}
	s := setStage(t, 120, 40, b, nil, nil)
	s.m.v.Agents.Select("ship-0")
	s.press("m")
	if len(s.m.dialogs) > 0 || !s.m.told("agent script of ship-0 takes no messages") {
		t.Errorf("%d dialogs:\n%s", len(s.m.dialogs), s.text())
	}
}

// The footer says how to get help, all actions and the way out, however narrow the screen is.
func TestFooterAtAnyWidth(t *testing.T) {
	for _, width := range []int{40, 60, 120} {
		s := setStage(t, width, 20, aBoard(t), someLogs(), nil)
		for _, key := range []string{"1", "2", "3", "4"} {
			s.press(key)
			rows := strings.Split(s.text(), "\n")
			foot := rows[len(rows)-1]
			for _, want := range []string{"? help", ": palette", "q quit"} {
				if !strings.Contains(foot, want) {
					t.Errorf("%d columns, pane %s: no %q in %q", width, key, want, foot)
				}
			}
			if filters := strings.Contains(foot, "/ filter"); filters && s.m.scope() == keys.InShip {
				t.Errorf("%d columns: the live view has no filter: %q", width, foot)
			}
		}
	}
}
