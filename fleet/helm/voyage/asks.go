package voyage

import (
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// rightsRole is the ship's role in the table of rights.
func (s *Ship) rightsRole() string {
	if s.isGiven() {
		return rights.Given
	}
	return s.role
}

// isGiven reports whether helm gives the ship its tasks.
func (s *Ship) isGiven() bool { return s.v.Kind.Gives() }

// asks judges what the ship asks of a task by the claim that it shows. It returns the task, and what the ship has to do with it, or
// the refusal.
func (s *Ship) asks(q rights.Request, c proto.Claim) (*tasks.State, rights.Relation, error) {
	t := s.v.Store.Snapshot().Task(c.Task)
	if t == nil {
		return nil, rights.None, s.refuse(c.Task, &tasks.Refusal{Why: tasks.Unknown, Task: clean.Word(c.Task)})
	}
	history, err := s.v.Store.History(s.ctx, t.ID)
	if err != nil {
		return nil, rights.None, err
	}
	r := rights.Of(t, s.name, c.Epoch, history)
	switch role := s.rightsRole(); {
	case rights.May(role, q, r):
		return t, r, nil
	case !rights.Ask(role, q):
		err = wrongRole(q, role)
	case t.Status == tasks.Completed:
		err = &tasks.Refusal{Why: tasks.Done, Task: t.ID}
	case t.Status == tasks.InProgress && t.Owner != s.name:
		err = &tasks.Refusal{Why: tasks.Taken, Task: t.ID, Owner: t.Owner}
	case t.Status == tasks.InProgress:
		err = fmt.Errorf("you hold task %s by another claim: claim it again", t.ID)
	default:
		err = fmt.Errorf("you do not hold task %s: claim it first", t.ID)
	}
	return nil, r, s.refuse(t.ID, err)
}

// wrongRole tells a ship that its role may not ask for something, and what it may do.
func wrongRole(q rights.Request, role string) error {
	switch q {
	case rights.Review:
		return fmt.Errorf("you are a %s, and work is reviewed by a %s", role, fleet.Validator)
	case rights.Complete:
		return fmt.Errorf("you review this work and do not complete it: answer with ocaptain task review approve|reject --why \"…\"")
	case rights.Plan:
		return fmt.Errorf("a %s breaks nothing down: do the task, or give it back", role)
	}
	return fmt.Errorf("a %s may not do that", role)
}

// actor is the ship in its role: what it asks for is changed in its name.
func (s *Ship) actor() rights.Actor { return rights.Actor(s.rightsRole()) }
