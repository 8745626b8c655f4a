package connection

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
)

// However many callers ask for helm at once, one starts it at a time, and none while helm is being ended.
func TestHelmByTurns(t *testing.T) {
	var at, most, calls atomic.Int64
	helm := New(fleet.Hub{}, nil)
	start := helm.InTurn(func(context.Context) (*api.Client, error) {
		now := at.Add(1)
		defer at.Add(-1)
		calls.Add(1)
		for was := most.Load(); now > was && !most.CompareAndSwap(was, now); was = most.Load() {
		}
		return &api.Client{}, nil
	})
	if err := helm.turn.Lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if c, err := start(t.Context()); err != nil || c == nil {
				t.Errorf("no helm: %v", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := start(ctx); err == nil {
		t.Error("it waits for its turn though nobody waits for it")
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("helm was started %d times while it was ended", n)
	}
	helm.turn.Unlock()
	all.Wait()
	if most.Load() != 1 || calls.Load() != 20 {
		t.Errorf("%d at once, %d in all", most.Load(), calls.Load())
	}
}
