package actor

import (
	"errors"
	"log/slog"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore/dirstoretest"
)

// TestActor lets every actor try every change: the store gets only the changes that the actor may make.
func TestActor(t *testing.T) {
	d := fleet.Dir(t.TempDir())
	store := dirstoretest.Open(t, d.Events(), d.TasksDir())
	ctx := t.Context()
	for _, by := range rights.Actors {
		a := New(store, slog.New(slog.DiscardHandler), by)
		for c, change := range map[rights.Change]func() error{
			rights.Add:      func() error { _, err := a.Add(ctx, []tasks.Task{{Subject: "new"}}); return err },
			rights.Edit:     func() error { return a.Edit(ctx, tasks.Edit{Task: "99"}) },
			rights.Cancel:   func() error { return a.Cancel(ctx, "99", "") },
			rights.Reserve:  func() error { return a.Reserve(ctx, "99", "ship-0") },
			rights.Begin:    func() error { _, err := a.Claim(ctx, "ship-0", "99"); return err },
			rights.HandIn:   func() error { return a.HandIn(ctx, tasks.Completion{Task: "99"}, "") },
			rights.Check:    func() error { return a.Checked(ctx, "99", "", "", true) },
			rights.Approve:  func() error { return a.Approve(ctx, "99", "ship-0", 1, tasks.Review{}) },
			rights.Requeue:  func() error { return a.Requeue(ctx, tasks.Requeue{Task: "99"}) },
			rights.Finish:   func() error { return a.Complete(ctx, tasks.Completion{Task: "99"}) },
			rights.Reopen:   func() error { return a.Reopen(ctx, tasks.Reopen{}) },
			rights.Repair:   func() error { _, err := a.Repair(ctx, nil, true); return err },
			rights.Recorded: func() error { return a.Record(ctx, tasks.Completion{Task: "99"}) },
		} {
			was := len(store.Snapshot().Tasks)
			_, denied := errors.AsType[*rights.Denied](change())
			if denied == rights.MayChange(by, c) || denied && len(store.Snapshot().Tasks) != was {
				t.Errorf("%s may %s: denied is %v", by, c, denied)
			}
		}
	}
}
