package captain

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// Split splits a task into parts. The task is done when its parts are.
func (c *Captain) Split(ctx context.Context, r api.SplitRequest) (api.Split, error) {
	if err := c.Roster.Afloat(); err != nil {
		return api.Split{}, err
	}
	t := c.Store.Snapshot().Task(r.Task)
	if err := edits.MaySplit(&c.Info, t, r.Task, t != nil && c.IsParent(t)); err != nil {
		return api.Split{}, err
	}
	parts, err := tasks.Split(r.Tasks, t)
	if err == nil {
		err = tasks.CheckSize(c.Store.Snapshot().Tasks, t, len(parts))
	}
	if err != nil {
		return api.Split{}, api.Refused("task %s is not split: %v", t.ID, err)
	}
	if err := hubs.CheckOwn(c.Info.HubNumber(), t); err != nil {
		return api.Split{}, err
	}
	out, err := c.splitInto(ctx, t, parts)
	if err == nil {
		err = c.Coordinate()
	}
	var no *tasks.Refusal
	if errors.As(err, &no) {
		return out, api.Refused("%v", no)
	}
	return out, c.Hinders.OrAway(t.ID, err)
}

// splitInto takes a task from its ship, if a ship has it, and adds its parts.
func (c *Captain) splitInto(ctx context.Context, t *tasks.State, parts []tasks.Task) (out api.Split, err error) {
	kept, release, err := c.Claims.Seize(ctx, t)
	if err != nil {
		return out, err
	}
	defer release()
	if out.Kept = kept; t.Status == tasks.InProgress {
		out.Ship = t.Owner
		back := tasks.Requeue{Reason: fmt.Sprintf("the captain split it into %d tasks", len(parts))}
		if err := c.Claims.Revoke(rights.Captain, t, kept, back); err != nil {
			return out, err
		}
	}
	added, err := c.As(rights.Captain).Add(ctx, parts)
	for i := range added {
		out.Tasks = append(out.Tasks, added[i].ID)
	}
	return out, err
}
