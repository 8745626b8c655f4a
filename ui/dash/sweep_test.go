package dash

import (
	"strings"
	"testing"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/ui/dash/dialog"
)

// TestSweep shows the machines that belong to no voyage and asks, with No as the default, also when there is no
// voyage.
func TestSweep(t *testing.T) {
	s := setStage(t, 100, 30, nil, nil, nil)
	s.press("esc")
	s.press(":", "s", "w", "e", "e")
	if screen := s.text(); !strings.Contains(screen, "sweep: machines that no voyage has") || strings.Contains(screen, "there is no voyage yet") {
		t.Errorf("the palette shows:\n%s", screen)
	}
	s.press("esc")
	for _, tt := range []struct {
		found  api.Sweep
		want   []string
		dialog bool
	}{
		{api.Sweep{}, []string{"every machine of this install has its voyage"}, false},
		{api.Sweep{Unasked: []api.Unasked{{Provider: "sprites", Why: "no answer"}}}, []string{"no machine without a voyage was found; sprites was not"}, false},
		{api.Sweep{Orphans: []machines.Orphan{{Name: "voyage-0123456789ab-ship0"}}, Unsure: "~/voyages is not there."}, []string{"1 machine that no voyage has, as far as is seen"}, false},
		{api.Sweep{
			Orphans: []machines.Orphan{{Provider: "exedev", Name: "voyage-0123456789ab-ship0", Why: "its voyage is sunk\x1b[31m", Seen: true}},
			Others:  []machines.Orphan{{Provider: "sprites", Name: "voyage-ba9876543210-ship0"}},
			Unasked: []api.Unasked{{Provider: "hosts", Why: "no answer"}},
		}, []string{"Destroy 1 machine that no voyage has?", "voyage-0123456789ab-ship0 at exedev: its voyage is sunk", "hosts was not asked", "1 machine not of this install: left alone"}, true},
	} {
		s.run(s.m.desk.AskSweep(nil, tt.found))
		screen := s.text()
		for _, w := range tt.want {
			if !strings.Contains(screen, w) {
				t.Errorf("%q is not in\n%s", w, screen)
			}
		}
		if strings.Contains(screen, "voyage-ba9876543210") {
			t.Errorf("another's is offered:\n%s", screen)
		}
		if tt.dialog != (len(s.m.dialogs) > 0) {
			t.Errorf("dialogs: %d", len(s.m.dialogs))
		}
	}
	s.press("enter") // No is the default
	if len(s.m.dialogs) > 0 || s.m.jobs.Running() > 0 {
		t.Error("enter alone swept")
	}
	if c := s.m.desk.SweepChoice(); len(c) != 1 || c[0].Name != "sweep: 1 machine that no voyage has" {
		t.Errorf("the list of voyages has %+v", c)
	}
	s.m.show(dialog.NewChoose("Voyages", "", s.m.desk.SweepChoice()))
	if screen := s.text(); !strings.Contains(screen, "may cost you") {
		t.Errorf("the list of voyages:\n%s", screen)
	}
}
