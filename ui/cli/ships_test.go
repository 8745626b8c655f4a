package cli

import (
	"strings"
	"testing"

	"ocaptain/fleet"
)

// "ships" removes ships that are not ready first, then idle ships, then the newest. Planners and validators stay.
func TestWorkers(t *testing.T) {
	ship := func(name, role, task string, number int, phase fleet.ShipPhase) fleet.ShipView {
		return fleet.ShipView{Ship: fleet.Ship{Name: name, Role: role, Number: number, Phase: phase}, Task: task}
	}
	all := workers([]fleet.ShipView{
		ship("planner-0", fleet.Planner, "", 0, fleet.Afloat), ship("worker-0", fleet.Worker, "1", 1, fleet.Afloat), ship("worker-1", fleet.Worker, "", 2, fleet.Afloat),
		ship("worker-2", fleet.Worker, "2", 3, fleet.Afloat), ship("worker-3", fleet.Worker, "", 4, fleet.Failed), ship("worker-4", fleet.Worker, "", 5, fleet.Afloat),
		ship("worker-5", fleet.Worker, "", 6, fleet.Going), ship("validator-0", fleet.Validator, "", 7, fleet.Afloat),
	})
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "worker-3 worker-4 worker-1 worker-2 worker-0" {
		t.Error(got)
	}
}
