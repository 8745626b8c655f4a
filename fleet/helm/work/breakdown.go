package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/sync/whole"
	"ocaptain/tasks"
)

// Plan adds the tasks into which a ship breaks down its task: all or none.
func (w *Work) Plan(ctx context.Context, s *ship.Ship, r proto.PlanRequest) (proto.Planned, error) {
	if err := s.LockForWrite(ctx); err != nil {
		return proto.Planned{}, err
	}
	defer s.Busy.Unlock()
	t, has, err := s.Asks(rights.Plan, r.Claim)
	if err != nil {
		return proto.Planned{}, err
	}
	if w.Kind.Plans(t) == 0 {
		return proto.Planned{}, s.Refuse(t.ID, errors.New("you hold nothing that could be broken down: do the task, or give it back"))
	}
	all, broken := w.Store.Snapshot(), w.Captain.IsParent(t)
	parts, err := tasks.Breakdown(r.Tasks, t)
	if err == nil && !broken {
		err = tasks.CheckSize(all.Tasks, t, len(parts))
	}
	switch {
	case broken && (err != nil || slices.ContainsFunc(parts, func(p tasks.Task) bool { return all.Task(p.ID) == nil })):
		return proto.Planned{}, s.Refuse(t.ID, errBroken) // the task would have more parts
	case broken: // a repeated request
	case has == rights.Held && t.Proposed > 0: // a repeated or late request: the captain has a proposal already
		return proto.Planned{Task: t.ID, Added: t.Proposed}, nil
	case has == rights.Held:
		return proto.Planned{}, s.Refuse(t.ID, &tasks.Refusal{Why: tasks.Stale, Task: t.ID})
	case err != nil:
		return proto.Planned{}, w.unplanned(s, t, err)
	case w.Info.AskPlan && t.Type() == tasks.Epic:
		return proto.Planned{Task: t.ID, Added: len(parts)}, w.proposePlan(s, t, r.Tasks, len(parts))
	}
	if _, err := w.As(s.Actor()).Add(ctx, parts); err != nil && broken {
		return proto.Planned{}, s.Refuse(t.ID, errBroken) // the task was broken down into other tasks
	} else if err != nil {
		return proto.Planned{}, w.Hinders.OrAway("", err)
	}
	w.Records.ForgetFailures(facts.Plan, t.ID)
	s.Recovered()
	return proto.Planned{Task: t.ID, Added: len(parts)}, w.Captain.Coordinate()
}

var errBroken = errors.New("it is broken down already, into other tasks: that is fixed, and what you would add is a proposal for the captain")

// unplanned returns the refusal of unusable tasks. If a planner repeatedly hands in such tasks, it tells the captain.
func (w *Work) unplanned(s *ship.Ship, t *tasks.State, why error) error {
	n := w.Records.Failed(facts.Plan, t.ID)
	if n < w.Kind.Plans(t) {
		return s.Refuse(t.ID, fmt.Errorf("these tasks cannot be used, and none was added. Mend this and hand them in again:\n%w", why))
	}
	reason := fmt.Sprintf("%s handed in tasks that cannot be used, %d times. Last: %s", s.Name, n, clean.Bound(why.Error(), clean.MaxText))
	if err := w.Hinders.OrAway(t.ID, w.Claims.Revoke(s.Actor(), t, "", tasks.Requeue{Reason: reason, Hold: true})); err != nil {
		return err
	}
	w.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: reason + "; to have it tried again: " + w.Dir.Command("requeue %s", t.ID)})
	return s.Refuse(t.ID, fmt.Errorf("these tasks cannot be used, and the captain is told: end your turn. What is wrong:\n%w", why))
}

// proposePlan writes a planner's tasks to a file that the captain may edit, and asks for his approval. It ends the
// claim.
func (w *Work) proposePlan(s *ship.Ship, t *tasks.State, plan json.RawMessage, parts int) error {
	text := jsontext.Value(plan).Clone()
	if err := text.Format(jsontext.WithIndent("  "), jsontext.EscapeForHTML(false), jsontext.AllowDuplicateNames(true)); err != nil {
		return err
	}
	if err := w.Hinders.OrAway(t.ID, whole.Write(w.Dir.Plan(t.ID), append(text, '\n'), 0o600)); err != nil {
		return err
	}
	ask := tasks.Requeue{Task: t.ID, Owner: s.Name, Epoch: t.Epoch, Reason: s.Name + " has broken it down, and waits for the captain's word", Hold: true, Proposed: parts}
	if err := w.Hinders.OrAway(t.ID, w.As(s.Actor()).Requeue(context.WithoutCancel(w.Context), ask)); err != nil {
		return err
	}
	w.Records.ForgetFailures(facts.Plan, t.ID)
	s.Recovered()
	w.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: fmt.Sprintf("has broken it down into %d tasks: look with %s, edit %s if you like, then %s, or %s",
		parts, w.Dir.Command("diff %s", t.ID), w.Dir.Plan(t.ID), w.Dir.Command("approve %s", t.ID), w.Dir.Command("reject %s --why \"…\"", t.ID))})
	return nil
}
