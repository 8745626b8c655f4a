package voyage

import (
	"context"
	"fmt"

	"ocaptain/fleet/helm/captain"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// newCaptain returns what carries out the captain's changes of the tasks.
func (v *Voyage) newCaptain() *captain.Captain {
	return captain.New(captain.Options{
		Core: v.Core, Grants: &v.grants, Merges: v.merges,
		Claims: captain.Claims{Seize: v.seize, Merged: v.merged, TakeAway: v.takeAway, SendBack: v.sendBack, Reopen: v.reopen},
		Tell:   v.tellAgent, HeadMoved: v.headMoved,
	})
}

// reopen makes a task open again, with all tasks that it is a part of.
func (v *Voyage) reopen(ctx context.Context, by rights.Actor, t *tasks.State, why string) error {
	v.Records.ForgetFailures("", t.ID)
	if err := v.As(by).Reopen(ctx, tasks.Reopen{Task: t.ID, Epoch: t.Epoch, Reason: why}); err != nil {
		return err
	}
	for parent := v.Store.Snapshot().Task(t.Parent()); parent != nil && parent.Status == tasks.Completed; parent = v.Store.Snapshot().Task(parent.Parent()) {
		if err := v.As(by).Reopen(ctx, tasks.Reopen{Task: parent.ID, Epoch: parent.Epoch, Reason: fmt.Sprintf("task %s, a part of it, is %s", t.ID, why)}); err != nil {
			return err
		}
	}
	return nil
}

// reopenReverted reopens the tasks of claims whose work was taken off the branch, if helm ended before it did so.
func (v *Voyage) reopenReverted(claims map[string]bool) error {
	for _, t := range v.Store.Snapshot().Tasks {
		if t.Status == tasks.Completed && claims[tasks.ClaimID(t.ID, t.Epoch)] {
			if err := v.reopen(v.Context, rights.Clock, t, "reverted by the captain"); err != nil {
				return err
			}
		}
	}
	return nil
}
