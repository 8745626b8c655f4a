// Package session decides, without doing any of it, what goes on in a voyage that begins with what the captain asks for, its epics:
// a planner breaks them down into tasks, and workers do these.
package session

import (
	"errors"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/plan"
	"ocaptain/tasks"
)

var _ kind.Kind = Session{}

// Session is a voyage of this kind. What it does not decide differently is as in a voyage of a plan.
type Session struct {
	plan.Plan
	Spec fleet.SessionSpec
}

// Look offers epics that are to be broken down to the planner, what was handed in to validators, and all else to workers.
func (s Session) Look(all tasks.Snapshot) *kind.View {
	parts := all.Parts()
	return s.Reviewed(all, s.IsDone(all), func(t *tasks.State) string {
		_, has := parts[t.ID]
		switch {
		case has:
			return ""
		case t.Type() == tasks.Epic:
			return fleet.Planner
		}
		return fleet.Worker
	})
}

// Done is as in a plan for the work of workers. Who breaks a task down is done with that. An epic has no work of its own.
func (s Session) Done(all tasks.Snapshot, t *tasks.State, role string) (kind.Outcome, error) {
	_, has := all.Parts()[t.ID]
	switch epic := t.Type() == tasks.Epic; {
	case epic && role != fleet.Planner:
		return 0, kind.WrongRole(t, fleet.Planner, role)
	case has || t.Proposed > 0: // the captain may be asked first
		return kind.Open, nil
	case !epic:
		return s.Plan.Done(all, t, role)
	}
	return 0, errors.New("an epic is not worked on by itself: hand in the tasks that it consists of, with ocaptain task plan FILE")
}

// Plans lets a planner try to break an epic down three times, and a worker a task that turns out too large.
func (s Session) Plans(t *tasks.State) int {
	deepest := fleet.MaxNestedDepth
	if s.Spec.MaxNestedDepth != nil {
		deepest = *s.Spec.MaxNestedDepth
	}
	if t.Depth() <= deepest && !t.InReview() {
		return 3
	}
	return 0
}

// Crew is planners, validators, and workers.
func (s Session) Crew(number int, roles []string) (name, role string) {
	planners := max(1, s.Spec.Planners)
	switch {
	case plan.Count(roles, fleet.Planner) < planners:
		return plan.RoleName(fleet.Planner, number, roles), fleet.Planner
	case s.LacksValidator(roles):
		return plan.RoleName(fleet.Validator, number, roles), fleet.Validator
	}
	return fmt.Sprintf("worker-%d", number-planners-s.Validators), fleet.Worker
}
