package voyage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// Cancel cancels tasks for good at the captain's word: one, its open parts, and all tasks that wait for one of
// them.
func (v *Voyage) Cancel(ctx context.Context, r api.CancelRequest) error {
	switch t := v.store.Snapshot().Task(r.Task); {
	case t == nil:
		return api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: r.Task})
	case t.Status == tasks.Completed && !t.Cancelled:
		return api.Refused("task %s is completed already", t.ID)
	}
	with := tasks.CancelledWith(v.store.Snapshot().Tasks, r.Task)
	saw := make(map[string]bool, len(r.Tasks))
	for _, id := range r.Tasks {
		saw[id] = true
	}
	if slices.ContainsFunc(with, func(id string) bool { return !saw[id] }) {
		return api.Refused("other tasks than you saw would be cancelled with task %s: look again", r.Task)
	}
	c := facts.Cancel{Task: r.Task, Tasks: with, Why: "cancelled by the captain" + edits.Because(r.Reason)}
	if err := v.noteCancel(c); err != nil {
		changes(v, func() { v.facts.Cancels.Add(facts.Cancel{Task: c.Task, Over: true}) })
		return v.hinders.OrAway("", err)
	}
	merged, err := v.carryOut(ctx, c)
	if err != nil {
		v.jobs.Go(func() { v.finishCancel(c) })
		return fmt.Errorf("%w; helm goes on cancelling", err)
	}
	if len(merged) > 0 {
		return api.Refused("merged meanwhile, and not cancelled: %s; all else is cancelled", tasks.JoinIDs(merged))
	}
	return nil
}

// noteCancel writes down how far an act of cancelling is.
func (v *Voyage) noteCancel(c facts.Cancel) error {
	written := reads(v, func() *book.Record {
		v.facts.Cancels.Add(c)
		return v.book.Add(facts.KindCancel, c)
	})
	return written.Wait()
}

// finishCancels carries out what helm was cancelling when it ended.
func (v *Voyage) finishCancels() {
	all := reads(v, func() []facts.Cancel { return slices.Collect(maps.Values(v.facts.Cancels)) })
	for _, c := range all {
		v.finishCancel(c)
	}
}

// finishCancel carries out an act of cancelling, trying as long as helm runs.
func (v *Voyage) finishCancel(c facts.Cancel) {
	pauses := retry.Doubling(time.Second, time.Minute)
	for {
		merged, err := v.carryOut(v.ctx, c)
		switch {
		case err == nil && len(merged) > 0:
			v.notes.Add(fleet.Note{Task: c.Task, Text: "merged meanwhile, and not cancelled with it: " + tasks.JoinIDs(merged)})
			return
		case err == nil:
			return
		}
		v.log.Warn("cancel", "task", c.Task, "error", err)
		if retry.Sleep(v.ctx, pauses.NextBackOff()) != nil {
			return
		}
	}
}

// carryOut cancels one task after the other. It returns the tasks whose work was merged before.
func (v *Voyage) carryOut(ctx context.Context, c facts.Cancel) (merged []string, err error) {
	for _, id := range c.Tasks {
		done, err := v.cancelOne(ctx, id, c.Why)
		if err != nil {
			return nil, fmt.Errorf("task %s is not cancelled yet: %w", id, err)
		}
		if done {
			merged = append(merged, id)
		}
	}
	return merged, v.noteCancel(facts.Cancel{Task: c.Task, Over: true})
}

// cancelOne cancels a task, and reports whether its work was merged before.
func (v *Voyage) cancelOne(ctx context.Context, id, why string) (merged bool, err error) {
	t := v.store.Snapshot().Task(id)
	if t.Status == tasks.Completed {
		return !t.Cancelled, nil
	}
	kept, release, err := v.seize(ctx, t)
	for range 10 { // the task is cancelled even if another ship claims it meanwhile
		if !errors.Is(err, api.ErrRefused) {
			break
		}
		t = v.store.Snapshot().Task(id)
		kept, release, err = v.seize(ctx, t)
	}
	if err != nil {
		return false, err
	}
	defer release()
	if done, err := v.merged(ctx, t); done || err != nil {
		return done, err
	}
	if t.Status == tasks.InProgress {
		v.addFence(facts.Fence{Task: t.ID, Ship: t.Owner, Epoch: t.Epoch, Why: why, Kept: kept})
	}
	var no *tasks.Refusal
	if err := v.hinders.OrAway(id, v.as(rights.Captain).Cancel(context.WithoutCancel(ctx), id, why)); errors.As(err, &no) {
		return false, api.Refused("%v", no)
	} else if err != nil {
		return false, err
	}
	v.notes.Add(fleet.Note{Task: id, Text: why})
	return false, nil
}
