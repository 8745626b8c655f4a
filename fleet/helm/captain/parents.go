package captain

import (
	"context"
	"errors"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// AddEpic adds an epic to a session.
func (c *Captain) AddEpic(ctx context.Context, r api.EpicRequest) (api.EpicAdded, error) {
	if !c.Info.Kind.TakesEpics() {
		return api.EpicAdded{}, api.Refused("%s is no session: no planner breaks down what is asked for", c.Dir.ID())
	}
	if err := c.Roster.Afloat(); err != nil {
		return api.EpicAdded{}, err
	}
	epic, err := tasks.NewEpic(r.Text, r.Labels, r.Priority)
	if err != nil {
		return api.EpicAdded{}, api.Refused("%v", err)
	}
	added, err := c.As(rights.Captain).Add(ctx, []tasks.Task{epic})
	if err != nil {
		return api.EpicAdded{}, c.Hinders.OrAway("", err)
	}
	return api.EpicAdded{Task: added[0].ID}, nil
}

// IsParent reports whether a task consists of others.
func (c *Captain) IsParent(t *tasks.State) bool {
	return slices.ContainsFunc(c.Kind.Parents(c.Store.Snapshot()), func(p kind.Parent) bool { return p.Task.ID == t.ID })
}

// Coordinate claims tasks that consist of others for the coordinator, and completes such a task once all its parts
// are done. A repeated call changes nothing.
func (c *Captain) Coordinate() error {
	c.parents.Lock()
	defer c.parents.Unlock()
	for _, p := range c.Kind.Parents(c.Store.Snapshot()) {
		var no *tasks.Refusal // something has just changed: that calls Coordinate again
		if err := c.Hinders.OrAway(p.Task.ID, c.coordinateOne(p.Task, p.Done)); err != nil && !errors.As(err, &no) {
			return err
		}
	}
	return nil
}

func (c *Captain) coordinateOne(t *tasks.State, done bool) error {
	if t.OnHold { // it was approved, and helm ended before it requeued the task
		return c.As(rights.Coordinator).Requeue(c.Context, tasks.Requeue{Task: t.ID, Reason: "approved by the captain"})
	}
	epoch := t.Epoch
	if t.Status == tasks.Completed || t.Owner == fleet.Coordinator && !done {
		return nil
	}
	if t.Owner != fleet.Coordinator {
		g, err := c.takeOver(t)
		if err != nil {
			return err
		}
		epoch = g.Epoch
	}
	if !done {
		return nil
	}
	return c.As(rights.Coordinator).Complete(c.Context, tasks.Completion{Task: t.ID, Owner: fleet.Coordinator, Epoch: epoch})
}

// takeOver claims a task with parts for the coordinator, after it has requeued the task from the planner that held
// it. In between, no planner is granted the task.
func (c *Captain) takeOver(t *tasks.State) (tasks.Grant, error) {
	c.Claims.Grants.Lock()
	defer c.Claims.Grants.Unlock()
	if t.Status == tasks.InProgress { // its planner has done its part
		if err := c.As(rights.Coordinator).Requeue(c.Context, tasks.Requeue{Task: t.ID, Epoch: t.Epoch, Reason: "it is broken down"}); err != nil {
			return tasks.Grant{}, err
		}
	}
	return c.As(rights.Coordinator).Claim(c.Context, fleet.Coordinator, t.ID)
}
