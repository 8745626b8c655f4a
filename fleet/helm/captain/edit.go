package captain

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// Edit changes a task, or adds one.
func (c *Captain) Edit(ctx context.Context, r api.EditRequest) (api.Edited, error) {
	if err := r.Edit.Check(); err != nil {
		return api.Edited{}, api.Refused("%v", err)
	}
	if err := c.Roster.Afloat(); err != nil {
		return api.Edited{}, err
	}
	if r.Edit.Task == "" {
		return c.addTask(ctx, r.Edit)
	}
	t := c.Store.Snapshot().Task(r.Edit.Task)
	if t == nil {
		return api.Edited{}, api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: r.Edit.Task})
	}
	e := r.Edit
	err := c.shipsToChoose().MayChoose(e, c.roleOf(t))
	if err == nil && c.Info.Kind.TakesDispatches() {
		e, err = edits.OfDispatch(t, e)
	}
	if err != nil {
		return api.Edited{}, err
	}
	out, err := c.changeTask(ctx, e, "")
	if err != nil {
		return api.Edited{}, api.Refused("task %s stays as it is: %v", t.ID, c.Hinders.OrAway(t.ID, err))
	}
	return out, nil
}

// addTask adds a task that workers claim.
func (c *Captain) addTask(ctx context.Context, e tasks.Edit) (api.Edited, error) {
	if c.Info.Kind.TakesDispatches() {
		return api.Edited{}, api.Refused("a pool has no list of tasks: give it what is to be done with ocaptain dispatch")
	}
	if err := c.shipsToChoose().MayChoose(e, fleet.Worker); err != nil {
		return api.Edited{}, err
	}
	added, err := c.As(rights.Captain).Add(ctx, []tasks.Task{e.NewTask(map[string]any{}, nil)})
	if err != nil {
		return api.Edited{}, api.Refused("%v", c.Hinders.OrAway("", err))
	}
	return api.Edited{Task: added[0].ID}, nil
}

// changeTask changes a task, and tells the agent that works on it what has changed. It does not tell the ship wanted,
// which proposed the change.
func (c *Captain) changeTask(ctx context.Context, e tasks.Edit, wanted string) (api.Edited, error) {
	was := c.Store.Snapshot().Task(e.Task)
	if err := c.As(rights.Captain).Edit(ctx, e); err != nil {
		return api.Edited{}, err
	}
	out := api.Edited{Task: e.Task}
	is := c.Store.Snapshot().Task(e.Task)
	text := edits.Difference(was, is)
	if text == "" || is.Status != tasks.InProgress || is.Owner == wanted || is.Owner == fleet.Coordinator {
		return out, nil
	}
	out.Worker = is.Owner
	out.Told = c.Tell(is.Owner, fmt.Sprintf("The captain changed task %s, which you work on%s. Go on with it as it is now.\n\n%s", is.ID, edits.Because(e.Reason), text))
	return out, nil
}

// roleOf returns the role of the ships that may claim a task, "" for work in review, which the captain may give to any.
func (c *Captain) roleOf(t *tasks.State) string {
	if t.InReview() {
		return ""
	}
	return c.Kind.Look(c.Store.Snapshot()).RoleOf(t)
}

// shipsToChoose returns the ships that the captain may choose for a task.
func (c *Captain) shipsToChoose() edits.Ships {
	s := edits.Ships{Voyage: &c.Info}
	for _, f := range c.Roster.Now().Ships {
		s.All = append(s.All, *f)
	}
	return s
}

// FreeChosen lets any ship do the tasks that are restricted to a ship that is gone, or to an agent or a model that no
// ship has any more, and tells the captain so.
func (c *Captain) FreeChosen() {
	ships := c.shipsToChoose()
	for _, t := range c.Store.Snapshot().Open() {
		e, chosen := ships.Free(t)
		if !chosen {
			continue
		}
		var no *tasks.Refusal
		if err := c.As(rights.Clock).Edit(context.WithoutCancel(c.Context), e); err != nil && !errors.As(err, &no) {
			c.Log.Error("a task that waits for a ship that is gone", "task", t.ID, "error", err)
			continue
		}
		c.Notes.Add(fleet.Note{Task: t.ID, Text: fmt.Sprintf("task %s can be done by any ship: %s", t.ID, e.Reason)})
	}
}
