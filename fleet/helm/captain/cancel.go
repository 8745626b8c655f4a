package captain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// Cancel cancels tasks for good: one, its open parts, and all tasks that wait for one of
// them.
func (c *Captain) Cancel(ctx context.Context, r api.CancelRequest) error {
	switch t := c.Store.Snapshot().Task(r.Task); {
	case t == nil:
		return api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: r.Task})
	case t.Status == tasks.Completed && !t.Cancelled:
		return api.Refused("task %s is completed already", t.ID)
	}
	with := tasks.CancelledWith(c.Store.Snapshot().Tasks, r.Task)
	for _, id := range with {
		if err := hubs.CheckOwn(c.Info.HubNumber(), c.Store.Snapshot().Task(id)); err != nil {
			return err
		}
	}
	saw := make(map[string]bool, len(r.Tasks))
	for _, id := range r.Tasks {
		saw[id] = true
	}
	if slices.ContainsFunc(with, func(id string) bool { return !saw[id] }) {
		return api.Refused("other tasks than you saw would be cancelled with task %s: look again", r.Task)
	}
	all := facts.Cancel{Task: r.Task, Tasks: with, Why: "cancelled by the captain" + edits.Because(r.Reason)}
	if err := c.Records.Cancel(all); err != nil {
		return c.Hinders.OrAway("", err)
	}
	merged, err := c.carryOut(ctx, all)
	if err != nil {
		c.Go(func() { c.finishCancel(all) })
		return fmt.Errorf("%w; helm goes on cancelling", err)
	}
	if len(merged) > 0 {
		return api.Refused("merged meanwhile, and not cancelled: %s; all else is cancelled", tasks.JoinIDs(merged))
	}
	return nil
}

// FinishCancels carries out the cancellations that were unfinished when helm ended.
func (c *Captain) FinishCancels() {
	for _, it := range c.Records.Cancels() {
		c.finishCancel(it)
	}
}

// finishCancel carries out a cancellation. It tries until that is done or helm ends.
func (c *Captain) finishCancel(it facts.Cancel) {
	pauses := retry.Doubling(time.Second, time.Minute)
	for {
		merged, err := c.carryOut(c.Context, it)
		switch {
		case err == nil && len(merged) > 0:
			c.Notes.Add(fleet.Note{Task: it.Task, Text: "merged meanwhile, and not cancelled with it: " + tasks.JoinIDs(merged)})
			return
		case err == nil:
			return
		}
		c.Log.Warn("cancel", "task", it.Task, "error", err)
		if retry.Sleep(c.Context, pauses.NextBackOff()) != nil {
			return
		}
	}
}

// carryOut cancels one task after the other. It returns the tasks that were not cancelled, as their work was merged before.
func (c *Captain) carryOut(ctx context.Context, it facts.Cancel) (merged []string, err error) {
	for _, id := range it.Tasks {
		done, err := c.cancelOne(ctx, id, it.Why)
		if err != nil {
			return nil, fmt.Errorf("task %s is not cancelled yet: %w", id, err)
		}
		if done {
			merged = append(merged, id)
		}
	}
	return merged, c.Records.Cancel(facts.Cancel{Task: it.Task, Over: true})
}

// cancelOne cancels a task, and reports whether its work was merged before.
func (c *Captain) cancelOne(ctx context.Context, id, why string) (merged bool, err error) {
	t := c.Store.Snapshot().Task(id)
	if t.Status == tasks.Completed {
		return !t.Cancelled, nil
	}
	kept, release, err := c.Claims.Seize(ctx, t)
	for range 10 { // the task is cancelled even if another ship claims it meanwhile
		if !errors.Is(err, api.ErrRefused) {
			break
		}
		t = c.Store.Snapshot().Task(id)
		kept, release, err = c.Claims.Seize(ctx, t)
	}
	if err != nil {
		return false, err
	}
	defer release()
	if done, err := c.Claims.Merged(ctx, t); done || err != nil {
		return done, err
	}
	if t.Status == tasks.InProgress {
		c.Records.Fence(facts.Fence{Task: t.ID, Ship: t.Owner, Epoch: t.Epoch, Why: why, Kept: kept})
	}
	var no *tasks.Refusal
	if err := c.Hinders.OrAway(id, c.As(rights.Captain).Cancel(context.WithoutCancel(ctx), id, why)); errors.As(err, &no) {
		return false, api.Refused("%v", no)
	} else if err != nil {
		return false, err
	}
	c.Notes.Add(fleet.Note{Task: id, Text: why})
	return false, nil
}
