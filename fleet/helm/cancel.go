package helm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/facts"
	"ocaptain/tasks"
)

// cancel gives tasks up for ever at the captain's word: one, its open parts, and all that waits for one of them.
func (v *voyage) cancel(ctx context.Context, r api.CancelRequest) error {
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
	why := "cancelled by the captain" + because(r.Reason)
	var merged []string
	for _, id := range with {
		done, err := v.cancelOne(ctx, id, why)
		if err != nil {
			return fmt.Errorf("task %s is not cancelled: %w; cancelling task %s again goes on where this ended", id, err, r.Task)
		}
		if done {
			merged = append(merged, id)
		}
	}
	if len(merged) > 0 {
		return api.Refused("merged meanwhile, and not cancelled: %s; all else is cancelled", joinFew(merged))
	}
	return nil
}

// cancelOne cancels a task, and reports whether its work was merged before.
func (v *voyage) cancelOne(ctx context.Context, id, why string) (merged bool, err error) {
	t := v.store.Snapshot().Task(id)
	kept, release, err := v.seize(ctx, t)
	for range 10 { // whoever has it by now, it is cancelled
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
	if err := v.orRoom(v.store.Cancel(context.WithoutCancel(ctx), id, why)); errors.As(err, &no) {
		return false, api.Refused("%v", no)
	} else if err != nil {
		return false, err
	}
	v.addNote(fleet.Note{Task: id, Text: why})
	return false, nil
}
