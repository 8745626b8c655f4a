package agentpane

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// A session's coordinator comes first and shows the progress of the epics. It is not counted, and not selected by
// default.
func TestCoordinator(t *testing.T) {
	ship := func(name string) fleet.ShipView {
		s := fleet.ShipView{Status: fleet.Status{Word: fleet.Idle}}
		s.Name = name
		s.Role, _, _ = strings.Cut(name, "-")
		return s
	}
	b := &fleet.Board{Voyage: fleet.Voyage{Kind: fleet.Session}, Ships: []fleet.ShipView{ship("planner-0"), ship("validator-0"), ship("worker-0")}}
	epic := func(change func(*tasks.State)) {
		t := tasks.State{Task: tasks.Task{Status: tasks.Pending, Metadata: map[string]any{"type": tasks.Epic}}}
		change(&t)
		b.Tasks = append(b.Tasks, t)
	}
	says := func(want string) {
		t.Helper()
		first := ansi.Strip(shown(b).View(120, 6)[0])
		if !strings.HasPrefix(first, " C coordinator-0 · helm ") || !strings.Contains(first, want) {
			t.Errorf("it says %q, want %s", first, want)
		}
	}
	says("m asks it for something")
	epic(func(*tasks.State) {})
	says("1 epic to be planned")
	held := func(minutes time.Duration) func(*tasks.State) {
		return func(t *tasks.State) {
			t.Status, t.Owner, t.ClaimedAt = tasks.InProgress, fleet.Coordinator, noon.Add(-minutes*time.Minute)
		}
	}
	epic(held(3))
	epic(held(7))
	epic(func(t *tasks.State) { t.Status = tasks.Completed })
	epic(func(t *tasks.State) { t.OnHold = true })
	epic(func(t *tasks.State) { t.Status, t.Cancelled = tasks.Completed, true })
	says("holds 2 epics, 1 epic on hold, 1 epic to be planned, 1 epic done")
	says("7m")

	p := shown(b)
	if got := p.Info(); got != "3 active, 0 working" {
		t.Errorf("counted as %s", got)
	}
	var order []string
	for range b.Ships {
		order = append(order, p.Selected().Name)
		p.MoveBy(1)
	}
	if got := strings.Join(order, " "); got != "planner-0 worker-0 validator-0" {
		t.Errorf("they stand as %s", got)
	}
	p.Top()
	if !p.OnCoordinator() || p.Selected() != nil {
		t.Error("the coordinator is not what is selected, or is a ship")
	}
	b.Ships = nil
	if p := shown(b); p.Len() > 0 {
		t.Error("there is a coordinator of nobody")
	}
}
