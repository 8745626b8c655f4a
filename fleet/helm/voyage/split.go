package voyage

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// Split has a task consist of others at the captain's word. It is done when they are.
func (v *Voyage) Split(ctx context.Context, r api.SplitRequest) (api.Split, error) {
	if err := v.afloat(); err != nil {
		return api.Split{}, err
	}
	t := v.store.Snapshot().Task(r.Task)
	if err := v.maySplit(t, r.Task); err != nil {
		return api.Split{}, err
	}
	parts, err := tasks.Split(r.Tasks, t)
	if err == nil {
		err = tasks.CheckSize(v.store.Snapshot().Tasks, t, len(parts))
	}
	if err != nil {
		return api.Split{}, api.Refused("task %s is not split: %v", t.ID, err)
	}
	out, err := v.splitInto(ctx, t, parts)
	if err == nil {
		err = v.coordinate()
	}
	var no *tasks.Refusal
	if errors.As(err, &no) {
		return out, api.Refused("%v", no)
	}
	return out, v.hinders.OrAway(t.ID, err)
}

// splitInto takes a task from its ship, if a ship has it, and adds its parts.
func (v *Voyage) splitInto(ctx context.Context, t *tasks.State, parts []tasks.Task) (out api.Split, err error) {
	kept, release, err := v.seize(ctx, t)
	if err != nil {
		return out, err
	}
	defer release()
	if out.Kept = kept; t.Status == tasks.InProgress {
		out.Ship = t.Owner
		back := tasks.Requeue{Reason: fmt.Sprintf("the captain split it into %d tasks", len(parts))}
		if err := v.takeAway(rights.Captain, t, kept, back); err != nil {
			return out, err
		}
	}
	added, err := v.as(rights.Captain).Add(ctx, parts)
	for i := range added {
		out.Tasks = append(out.Tasks, added[i].ID)
	}
	return out, err
}

// maySplit says why a task cannot be split, nil when it can.
func (v *Voyage) maySplit(t *tasks.State, id string) error {
	switch {
	case t == nil:
		return api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: id})
	case v.info.Kind.TakesDispatches():
		return api.Refused("a dispatch is one piece of work: cancel it, and dispatch its parts")
	case t.Status == tasks.Completed:
		return api.Refused("task %s is completed already", t.ID)
	case t.InReview():
		return api.Refused("work on task %s is handed in: approve or reject it", t.ID)
	case t.Proposed > 0:
		return api.Refused("task %s is broken down already, and waits for your word: %s", t.ID, v.command("diff %s", t.ID))
	case v.isParent(t):
		return api.Refused("task %s consists of others already: split one of those, or add a task", t.ID)
	case t.Group() != "":
		return api.Refused("task %s is claimed together with the others of its group %s, and cannot be split", t.ID, t.Group())
	}
	return nil
}
