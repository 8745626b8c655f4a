package dash

import (
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/dash/feed"
)

// Nothing is drawn until the first board is read. If that takes long, the panes say so.
func TestBlankUntilTheBoard(t *testing.T) {
	s := setStage(t, 160, 40, nil, nil, func(o *Options) { o.Voyage = fleet.Dir(filepath.Join(o.Hub.Voyages, "voyage-0123456789ab")) })
	if text := s.text(); strings.TrimSpace(text) != "" {
		t.Errorf("at first the screen is\n%s", text)
	}
	late := eventually.Context(s).Done()
	for !strings.Contains(s.text(), "reading the voyage") {
		select {
		case msg := <-s.msgs:
			if _, ok := msg.(feed.News); !ok { // there is no news, as if reading did not end
				s.do(msg)
			}
		case <-late:
			t.Fatalf("the screen stays\n%s", s.text())
		}
	}
}
