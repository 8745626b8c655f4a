package captain

import (
	"context"
	"errors"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// Requeue makes a task ready again at the captain's word, whether it is on hold or a ship has it. Or it puts the task on hold. It waits
// while the task is being merged.
func (c *Captain) Requeue(ctx context.Context, r api.RequeueRequest) (api.Requeued, error) {
	var was api.Requeued
	t := c.Store.Snapshot().Task(r.Task)
	if t == nil {
		return was, api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: r.Task})
	}
	if c.IsParent(t) {
		return was, api.Refused("task %s consists of others, and is done when they are: requeue one of those", t.ID)
	}
	if err := hubs.CheckOwn(c.Info.HubNumber(), t); err != nil {
		return was, err
	}
	if r.Agent != "" {
		if _, err := c.Edit(ctx, api.EditRequest{Edit: tasks.Edit{Task: t.ID, Agent: &r.Agent, Reason: r.Reason}}); err != nil {
			return was, err
		}
	}
	kept, release, err := c.Claims.Seize(ctx, t)
	if err != nil {
		return was, err
	}
	defer release()
	now := c.Store.Snapshot().Task(r.Task)
	c.Records.ForgetFailures("", t.ID) // the captain has mended it
	if now.Status == tasks.InProgress {
		was.Ship = now.Owner
	}
	was.OnHold, was.Review, was.Kept = now.OnHold, now.InReview(), kept
	if now.InReview() && r.Hold {
		return was, api.Refused("work on task %s is handed in: reject it with %s, or cancel the task", t.ID, c.Dir.Command("reject %s", t.ID))
	}
	back := tasks.Requeue{Reason: "requeued by the captain" + edits.Because(r.Reason)}
	if r.Hold {
		back = tasks.Requeue{Hold: true, Reason: "put on hold by the captain" + edits.Because(r.Reason)}
	}
	if now.InReview() {
		back.Back, back.For = now.HandIn.Commit, c.Claims.Stays(now.HandIn.Owner)
	}
	if r.Fresh {
		if back.Fresh, back.For = true, ""; kept == "" {
			if was.Kept, err = c.keepAttempt(ctx, now); err != nil {
				return was, c.Hinders.OrAway(t.ID, err)
			}
		}
	}
	err = c.Claims.Revoke(rights.Captain, now, kept, back)
	var no *tasks.Refusal
	if errors.As(err, &no) {
		return was, api.Refused("%v", no)
	}
	return was, err
}

// keepAttempt keeps on a ref what was handed in for a task, or was interrupted, and returns the ref, "" for nothing.
func (c *Captain) keepAttempt(ctx context.Context, t *tasks.State) (string, error) {
	commit, ship := t.Draft, t.From
	if t.HandIn != nil {
		commit, ship = t.HandIn.Commit, t.HandIn.Owner
	}
	if commit == "" || ship == "" || !c.Work.Has(ctx, commit) {
		return "", nil
	}
	return c.Work.KeepParked(ctx, ship, commit)
}
