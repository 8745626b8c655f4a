package voyage

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// Split has a task consist of others at the captain's word. It is done when they are.
func (v *Voyage) Split(ctx context.Context, r api.SplitRequest) (api.Split, error) {
	if err := v.roster.Afloat(); err != nil {
		return api.Split{}, err
	}
	t := v.store.Snapshot().Task(r.Task)
	if err := edits.MaySplit(&v.info, t, r.Task, t != nil && v.isParent(t)); err != nil {
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
