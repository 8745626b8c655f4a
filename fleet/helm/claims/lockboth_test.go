package claims

import (
	"context"
	"testing"

	"ocaptain/fleet/turn"
	"ocaptain/tasks/eventually"
)

// Who waits for a ship's tree, which may be in use for long, does not keep others from merging.
func TestLockBoth(t *testing.T) {
	t.Parallel()
	merges, tree := turn.New(), turn.New()
	if err := tree.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	both := make(chan error, 1)
	go func() { both <- lockBoth(ctx, merges, tree) }()
	for range 100 {
		if err := merges.Lock(t.Context()); err != nil {
			t.Fatal(err)
		}
		merges.Unlock()
	}
	tree.Unlock()
	if err := eventually.Receives(t, "both", both); err != nil || merges.TryLock() || tree.TryLock() {
		t.Errorf("it holds less than both: %v", err)
	}
	go func() { both <- lockBoth(ctx, turn.New(), tree) }()
	cancel()
	if err := eventually.Receives(t, "the end", both); err == nil {
		t.Error("it waits on when the caller has gone")
	}
}
