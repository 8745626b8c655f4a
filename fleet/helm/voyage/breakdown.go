package voyage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// AddEpic adds something that the captain asks for.
func (v *Voyage) AddEpic(ctx context.Context, r api.EpicRequest) (api.EpicAdded, error) {
	if !v.info.Kind.TakesEpics() {
		return api.EpicAdded{}, api.Refused("%s is no session: no planner breaks down what is asked for", v.dir.ID())
	}
	if err := v.roster.Afloat(); err != nil {
		return api.EpicAdded{}, err
	}
	epic, err := tasks.NewEpic(r.Text, r.Labels, r.Priority)
	if err != nil {
		return api.EpicAdded{}, api.Refused("%v", err)
	}
	added, err := v.as(rights.Captain).Add(ctx, []tasks.Task{epic})
	if err != nil {
		return api.EpicAdded{}, v.hinders.OrAway("", err)
	}
	return api.EpicAdded{Task: added[0].ID}, nil
}

// plan adds the tasks into which a ship breaks down its task: all or none.
func (s *Ship) plan(ctx context.Context, r proto.PlanRequest) (proto.Planned, error) {
	if err := s.lockToRecord(ctx); err != nil {
		return proto.Planned{}, err
	}
	defer s.tree.Unlock()
	v := s.v
	t, has, err := s.asks(rights.Plan, r.Claim)
	if err != nil {
		return proto.Planned{}, err
	}
	if v.kind.Plans(t) == 0 {
		return proto.Planned{}, s.refuse(t.ID, errors.New("you hold nothing that could be broken down: do the task, or give it back"))
	}
	all, broken := v.store.Snapshot(), v.isParent(t)
	parts, err := tasks.Breakdown(r.Tasks, t)
	if err == nil && !broken {
		err = tasks.CheckSize(all.Tasks, t, len(parts))
	}
	switch {
	case broken && (err != nil || slices.ContainsFunc(parts, func(p tasks.Task) bool { return all.Task(p.ID) == nil })):
		return proto.Planned{}, s.refuse(t.ID, errBroken) // there would be more
	case broken: // asked again
	case has == rights.Held && t.Proposed > 0: // asked again, or too late: the captain is asked already
		return proto.Planned{Task: t.ID, Added: t.Proposed}, nil
	case has == rights.Held:
		return proto.Planned{}, s.refuse(t.ID, &tasks.Refusal{Why: tasks.Stale, Task: t.ID})
	case err != nil:
		return proto.Planned{}, s.unplanned(t, err)
	case v.info.AskPlan && t.Type() == tasks.Epic:
		return proto.Planned{Task: t.ID, Added: len(parts)}, s.proposePlan(t, r.Tasks, len(parts))
	}
	if _, err := v.as(s.actor()).Add(ctx, parts); err != nil && broken {
		return proto.Planned{}, s.refuse(t.ID, errBroken) // these are others
	} else if err != nil {
		return proto.Planned{}, v.hinders.OrAway("", err)
	}
	changes(v, func() {
		v.failures.Forget(facts.Plan, t.ID)
		s.fitAgain()
	})
	return proto.Planned{Task: t.ID, Added: len(parts)}, v.coordinate()
}

var errBroken = errors.New("it is broken down already, into other tasks: that is fixed, and what you would add is a proposal for the captain")

// isParent reports whether a task consists of others.
func (v *Voyage) isParent(t *tasks.State) bool {
	return slices.ContainsFunc(v.kind.Parents(v.store.Snapshot()), func(p kind.Parent) bool { return p.Task.ID == t.ID })
}

// unplanned is the answer to tasks that cannot be used. A planner that hands in such again and again needs the captain.
func (s *Ship) unplanned(t *tasks.State, why error) error {
	v := s.v
	n := reads(v, func() int { return v.failures.Count(facts.Plan, t.ID) })
	if n < v.kind.Plans(t) {
		return s.refuse(t.ID, fmt.Errorf("these tasks cannot be used, and none was added. Mend this and hand them in again:\n%w", why))
	}
	reason := fmt.Sprintf("%s handed in tasks that cannot be used, %d times. Last: %s", s.name, n, clean.Bound(why.Error(), maxText))
	if err := v.hinders.OrAway(t.ID, v.takeAway(s.actor(), t, "", tasks.Requeue{Reason: reason, Hold: true})); err != nil {
		return err
	}
	v.notes.Add(fleet.Note{Ship: s.name, Task: t.ID, Text: reason + "; to have it tried again: " + v.dir.Command("requeue %s", t.ID)})
	return s.refuse(t.ID, fmt.Errorf("these tasks cannot be used, and the captain is told: end your turn. What is wrong:\n%w", why))
}

// coordinate takes over tasks that consist of others, and completes those with no part left to do. It may be called
// at any time: it does nothing twice.
func (v *Voyage) coordinate() error {
	v.parents.Lock()
	defer v.parents.Unlock()
	for _, p := range v.kind.Parents(v.store.Snapshot()) {
		var no *tasks.Refusal // something has just changed: it is looked at again
		if err := v.hinders.OrAway(p.Task.ID, v.coordinateOne(p.Task, p.Done)); err != nil && !errors.As(err, &no) {
			return err
		}
	}
	return nil
}

func (v *Voyage) coordinateOne(t *tasks.State, done bool) error {
	if t.OnHold { // it was approved, and a crash came before that was over
		return v.as(rights.Coordinator).Requeue(v.ctx, tasks.Requeue{Task: t.ID, Reason: "approved by the captain"})
	}
	epoch := t.Epoch
	if t.Status == tasks.Completed || t.Owner == fleet.Coordinator && !done {
		return nil
	}
	if t.Owner != fleet.Coordinator {
		g, err := v.takeOver(t)
		if err != nil {
			return err
		}
		epoch = g.Epoch
	}
	if !done {
		return nil
	}
	return v.as(rights.Coordinator).Complete(v.ctx, tasks.Completion{Task: t.ID, Owner: fleet.Coordinator, Epoch: epoch})
}

// takeOver gives the coordinator a task that consists of others, and takes it from the planner that holds it. A planner that asks for the task
// again at that moment is not granted it in between.
func (v *Voyage) takeOver(t *tasks.State) (tasks.Grant, error) {
	v.grants.Lock()
	defer v.grants.Unlock()
	if t.Status == tasks.InProgress { // its planner has done its part
		if err := v.as(rights.Coordinator).Requeue(v.ctx, tasks.Requeue{Task: t.ID, Epoch: t.Epoch, Reason: "it is broken down"}); err != nil {
			return tasks.Grant{}, err
		}
	}
	return v.as(rights.Coordinator).Claim(v.ctx, fleet.Coordinator, t.ID)
}
