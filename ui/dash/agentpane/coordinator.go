package agentpane

import (
	"strings"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// isCoordinator reports whether a row is the coordinator's, the part of helm that holds epics. It has no machine.
func isCoordinator(s *fleet.ShipView) bool { return s.Name == fleet.Coordinator }

// ofHelm is the coordinator's look, in place of a ship's status.
var ofHelm = theme.State{Glyph: "·", Word: "helm"}

// coordinator returns a row that shows the progress of a session's epics.
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

// seat returns the place of a ship in a session, in the order in which work passes: coordinator, planner, worker, validator.
func (p *Pane) seat(s *fleet.ShipView) int {
	if !p.kind.TakesEpics() {
		return 0
	}
	return strings.Index("CPWV", roleLetter(s.Role))
}
