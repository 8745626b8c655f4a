// Package ontask has the actions of the captain on tasks: adding, changing, splitting, holding, requeuing, cancelling and reverting
// them, and asking a session for an epic.
package ontask

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/words"
)

// Requeue makes a task ready again: at once when the task is on hold, after a confirmation when a ship has it or it is in review.
func Requeue(d *act.Deck, t *tasks.State) tea.Cmd {
	id := t.ID
	if t.OnHold {
		return requeue(d, id)
	}
	ask, then := "Take task "+id+" from "+t.Owner+"?", "It becomes ready for another ship. What "+t.Owner+" has not merged of it is kept on a ref."
	if t.InReview() {
		ask, then = "Send task "+id+" back to "+t.HandIn.Owner+"?", "What was handed in for it is not merged: whoever claims it goes on from that."
	}
	d.Show(dialog.NewConfirm(ask, []string{then}, "", func() tea.Cmd { return requeue(d, id) }))
	return nil
}

// RequeueFailed asks whether to requeue a task that failed too often.
func RequeueFailed(d *act.Deck, t *tasks.State) tea.Cmd {
	id := t.ID
	d.Show(dialog.NewConfirm("Requeue task "+clean.Line(id)+"?", []string{"It was given up: " + t.Reason, "It fails again unless the cause is mended."}, "",
		func() tea.Cmd { return requeue(d, id) }))
	return nil
}

// RequeueAll asks whether to requeue all tasks that failed for one cause.
func RequeueAll(d *act.Deck, ids []string, cause string) tea.Cmd {
	d.Show(dialog.NewConfirm(fmt.Sprintf("Requeue %d tasks?", len(ids)), []string{cause, "They fail again unless the cause is mended."}, "",
		func() tea.Cmd { return requeue(d, ids...) }))
	return nil
}

func requeue(d *act.Deck, ids ...string) tea.Cmd {
	what := "requeue task " + ids[0]
	if len(ids) > 1 {
		what = fmt.Sprintf("requeue %d tasks", len(ids))
	}
	return d.Do(what, func(ctx context.Context, client *api.Client) error {
		for _, id := range ids {
			if _, err := client.Requeue(ctx, d.Voyage, api.RequeueRequest{Task: id}); err != nil {
				return err
			}
		}
		return nil
	})
}

// HoldOrRelease puts a task on hold, or releases it. It asks first when a ship has the task.
func HoldOrRelease(d *act.Deck, t *tasks.State) tea.Cmd {
	id, owner := t.ID, clean.Line(t.Owner)
	switch {
	case t.OnHold:
		return requeue(d, id)
	case t.Status == tasks.InProgress:
		d.Show(dialog.NewConfirm("Take task "+clean.Line(id)+" from "+owner+"?", []string{"Nobody gets it until you release it.", "What " + owner + " has not merged of it is kept on a ref."}, "",
			func() tea.Cmd { return hold(d, id) }))
		return nil
	}
	return hold(d, id)
}

func hold(d *act.Deck, id string) tea.Cmd {
	return d.Do("hold task "+clean.Line(id), func(ctx context.Context, client *api.Client) error {
		_, err := client.Requeue(ctx, d.Voyage, api.RequeueRequest{Task: id, Hold: true})
		return err
	})
}

// Cancel asks for confirmation, and then cancels a task with all tasks that wait for it.
func Cancel(d *act.Deck, id string) tea.Cmd {
	all, more := d.Board().CancelledWith(id)
	d.Show(dialog.NewConfirm("Cancel "+words.Counted(max(1, len(all)), "task")+"?", append(more, "What is done of it is kept on a ref, and is not merged."), clean.Line(id), func() tea.Cmd {
		return d.Do("cancel task "+clean.Line(id), func(ctx context.Context, client *api.Client) error {
			return client.Cancel(ctx, d.Voyage, api.CancelRequest{Task: id, Tasks: all})
		})
	}))
	return nil
}

// Revert reverts the merged work of a task, once the captain has seen what that changes.
func Revert(d *act.Deck, id string) tea.Cmd {
	return d.Do("look at what task "+clean.Line(id)+" changed", func(ctx context.Context, client *api.Client) error {
		look, err := client.Revert(ctx, d.Voyage, api.RevertRequest{Task: id})
		if err == nil {
			d.Send(ctx, func() tea.Cmd { return askRevert(d, id, look) })
		}
		return err
	})
}

func askRevert(d *act.Deck, id string, look api.Reverted) tea.Cmd {
	var ids []string
	for _, is := range look.Tasks {
		ids = append(ids, is.Task)
	}
	d.Show(dialog.NewConfirm("Revert task "+clean.Line(id)+"?", append(words.Lookback(look), "A commit takes this back, and the task is done again."), "", func() tea.Cmd {
		d.Compose("revert of "+id, "Revert task "+clean.Line(id), "why? its next worker is told", func(why string) tea.Cmd {
			return d.Do("revert task "+clean.Line(id), func(ctx context.Context, client *api.Client) error {
				_, err := client.Revert(ctx, d.Voyage, api.RevertRequest{Task: id, Tasks: ids, Why: why})
				return err
			})
		})
		return nil
	}))
	return nil
}
