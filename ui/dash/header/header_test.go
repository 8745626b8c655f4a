package header

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/dash/connection"
)

// A voyage whose board was never read has a header too, whatever the state of helm is.
func TestWithoutBoard(t *testing.T) {
	for _, h := range []Header{
		{},
		{ID: "voyage-1"},
		{ID: "voyage-1", Stale: true},
		{ID: "voyage-1", Helm: connection.State{Client: new(api.Client)}},
		{ID: "voyage-1", Helm: connection.State{Err: connection.ErrIdle}},
	} {
		if row := ansi.Strip(h.View(60)); !strings.Contains(row, h.ID) || ansi.StringWidth(row) != 60 {
			t.Errorf("%+v: %q", h, row)
		}
	}
}

// TestCounts counts work in review separately, with and without a reviewer.
func TestCounts(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	handedIn := &tasks.HandIn{Owner: "worker-1"}
	b := fleet.Board{Voyage: fleet.Voyage{Kind: fleet.Session}, Phase: fleet.Sailing, Tasks: []tasks.State{
		{Task: tasks.Task{ID: "1", Status: tasks.Completed}, HandIn: handedIn},
		{Task: tasks.Task{ID: "2", Status: tasks.Pending}, HandIn: handedIn},
		{Task: tasks.Task{ID: "3", Status: tasks.InProgress, Owner: "validator-0"}, HandIn: handedIn},
		{Task: tasks.Task{ID: "4", Status: tasks.Pending}},
		{Task: tasks.Task{ID: "5", Status: tasks.InProgress, Owner: "worker-1"}},
		{Task: tasks.Task{ID: "6", Status: tasks.Pending}, OnHold: true},
		{Task: tasks.Task{ID: "7", Status: tasks.Pending}, NotBefore: now.Add(time.Hour), RequeuedAt: now},
	}}
	if row := ansi.Strip((&Header{ID: "voyage-1", Board: &b, Now: now}).View(120)); !strings.Contains(row, "tasks 2P 1W 2R 1D 1H") {
		t.Errorf("%q", row)
	}
}
