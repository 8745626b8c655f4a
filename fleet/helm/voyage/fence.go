package voyage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// keptOf is keepWork for a ship by its name, which may be gone.
func (v *Voyage) keptOf(name string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.Context), time.Minute)
	defer cancel()
	if s, err := v.ShipNamed(name); err == nil {
		return s.Park(ctx)
	}
	left, err := v.Work.Park(ctx, name)
	if err != nil {
		v.Log.Warn("park", "ship", name, "error", err)
	}
	return left.Ref
}

// takeAway ends a claim against its owner's will. The caller holds the tree of that ship.
func (v *Voyage) takeAway(by rights.Actor, t *tasks.State, kept string, r tasks.Requeue) error {
	if t.Status == tasks.InProgress {
		v.Records.Fence(facts.Fence{Task: t.ID, Ship: t.Owner, Epoch: t.Epoch, Why: r.Reason, Kept: kept, GoesOn: r.GoesOn && r.For == t.Owner})
	}
	return v.takeBack(by, t, r)
}

// claimFate answers what became of a claim that the ship's task list does not show any more.
func (s *Ship) claimFate(_ context.Context, c proto.Claim) (proto.Fate, error) {
	t := s.v.Store.Snapshot().Task(c.Task)
	if t == nil {
		return proto.Fate{}, errors.New("there is no such task")
	}
	if t.Status == tasks.InProgress && t.Owner == s.Name && t.Epoch == c.Epoch {
		return proto.Fate{Held: true}, nil
	}
	if t.Status == tasks.Completed && t.Owner == s.Name && t.Epoch == c.Epoch {
		return proto.Fate{}, nil
	}
	f, _ := s.v.Records.FenceOf(c.Task, c.Epoch)
	if f.Ship != s.Name {
		return proto.Fate{}, nil
	}
	return proto.Fate{Why: f.Why, Kept: f.Kept, GoesOn: f.GoesOn}, nil
}

// before is what the owner of a claim should know of the one before, "" for nothing.
func (v *Voyage) before(task string, epoch uint64) string {
	f, ok := v.Records.FenceOf(task, epoch-1)
	if !ok {
		return ""
	}
	text := fmt.Sprintf("task %s was taken back from %s: %s", task, f.Ship, f.Why)
	if f.Kept != "" {
		text += fmt.Sprintf("; what %s had done is not in your tree, it is kept on the hub, on %s", f.Ship, f.Kept)
	}
	return text
}
