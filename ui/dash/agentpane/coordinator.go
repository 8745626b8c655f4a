package agentpane

import (
	"strings"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// isCoordinator reports whether a row is that of the part of helm which holds what is broken down. It has no machine.
func isCoordinator(s *fleet.ShipView) bool { return s.Name == fleet.Coordinator }

// ofHelm is how the coordinator looks where ships have a status.
var ofHelm = theme.State{Glyph: "·", Word: "helm"}

// coordinator is a row that says how far the epics of a session are.
func coordinator(b *fleet.Board) fleet.ShipView {
	c := fleet.ShipView{Ship: fleet.Ship{Name: fleet.Coordinator, Role: "coordinator"}}
	held, asks, unplanned, done := 0, 0, 0, 0
	for i := range b.Tasks {
		t := &b.Tasks[i]
		switch {
		case t.Type() != tasks.Epic || t.Cancelled:
		case t.Status == tasks.Completed:
			done++
		case t.OnHold:
			asks++
		case t.Owner != fleet.Coordinator:
			unplanned++
		default:
			held++
			if since := &c.Status.Since; since.IsZero() || t.ClaimedAt.Before(*since) {
				*since = t.ClaimedAt
			}
		}
	}
	var does []string
	if held > 0 {
		does = append(does, "holds "+words.Counted(held, "epic"))
	}
	if asks > 0 {
		does = append(does, words.Counted(asks, "epic")+" on hold")
	}
	if unplanned > 0 {
		does = append(does, words.Counted(unplanned, "epic")+" to be planned")
	}
	if done > 0 {
		does = append(does, words.Counted(done, "epic")+" done")
	}
	if len(does) == 0 {
		does = []string{"m asks it for something"}
	}
	c.Status.Reason = strings.Join(does, ", ")
	return c
}

// seat is where a ship stands in a session, as what it asks for goes through their hands: coordinator, planner, worker, validator.
func (p *Pane) seat(s *fleet.ShipView) int {
	if !p.kind.TakesEpics() {
		return 0
	}
	return strings.Index("CPWV", roleLetter(s.Role))
}
