package helm

import (
	"context"
	"errors"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
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
	if slices.ContainsFunc(with, func(id string) bool { return !slices.Contains(r.Tasks, id) }) {
		return api.Refused("other tasks than you saw would be cancelled with task %s: look again", r.Task)
	}
	why := "cancelled by the captain" + because(r.Reason)
	for _, id := range with {
		if err := v.cancelOne(ctx, id, why); err != nil {
			return err
		}
	}
	return nil
}

func (v *voyage) cancelOne(ctx context.Context, id, why string) error {
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
		return err
	}
	defer release()
	if done, err := v.merged(ctx, t); done || err != nil {
		return err
	}
	if t.Status == tasks.InProgress {
		v.addFence(fence{t.ID, t.Owner, t.Epoch, why, kept})
	}
	var no *tasks.Refusal
	if err := v.orRoom(v.store.Cancel(context.WithoutCancel(ctx), id, why)); errors.As(err, &no) {
		return api.Refused("%v", no)
	} else if err != nil {
		return err
	}
	v.addNote(fleet.Note{Task: id, Text: why})
	return nil
}
