// Package session decides what happens in a voyage that begins with requests of the captain, its epics: a planner decomposes them
// into tasks, and workers do these. It only decides; helm acts.
package session

import (
	"errors"
	"fmt"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/plan"
	"ocaptain/tasks"
)

var _ kind.Kind = Session{}

// Session holds the settings of a session on which decisions depend. It inherits methods from Plan.
type Session struct {
	plan.Plan
	Spec fleet.SessionSpec
}

// Look lets planners claim epics to decompose, validators claim work in review, and workers everything else.
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

// Done decides as Plan does for the work of workers. If the task was decomposed, its owner is done with it. An epic has
// no work of its own.
func (s Session) Done(all tasks.Snapshot, t *tasks.State, role string) (kind.Outcome, error) {
	_, has := all.Parts()[t.ID]
	switch epic := t.Type() == tasks.Epic; {
	case epic && role != fleet.Planner:
		return 0, kind.WrongRole(t, fleet.Planner, role)
	case has || t.Proposed > 0: // the captain may have to approve the parts first
		return kind.Open, nil
	case !epic:
		return s.Plan.Done(all, t, role)
	}
	return 0, errors.New("an epic is not worked on by itself: hand in the tasks that it consists of, with ocaptain task plan FILE")
}

// Plans returns how often a planner may try to decompose an epic, and whether a worker may decompose a task that
// turns out too large.
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

// Crew names planners, validators and workers, in this order. A hub that has joined a session has a planner only if it asks for one, and its
// number is in the names of its ships: the worker-0 of the second hub is worker-2-0.
func (s Session) Crew(number int, roles []string) (name, role string) {
	planners := s.Spec.Planners
	if s.Hub == 0 {
		planners = max(1, planners)
	}
	switch {
	case plan.Count(roles, fleet.Planner) < planners:
		name, role = plan.RoleName(fleet.Planner, number, roles), fleet.Planner
	case s.LacksValidator(roles):
		name, role = plan.RoleName(fleet.Validator, number, roles), fleet.Validator
	default:
		name, role = fmt.Sprintf("worker-%d", number-planners-s.Validators), fleet.Worker
	}
	if s.Hub > 0 {
		name = fmt.Sprintf("%s-%d%s", role, s.Hub+1, strings.TrimPrefix(name, role))
	}
	return name, role
}
