package claudetest

import (
	"context"
	"testing"
	"time"

	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
)

// API stands in for the service of Claude Code on loopback. Its methods are safe for concurrent use.
type API struct{ *loopback.API }

// Start starts an API that is closed when the test ends.
func Start(t testing.TB, brain loopback.Brain) *API {
	t.Helper()
	slottest.Take(t, 1)
	a, err := loopback.Start(brain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return &API{a}
}

// Await waits until done returns true, and calls it at every request and a few times a second. It fails the test at a
// standstill. what describes the condition.
func (a *API) Await(t testing.TB, what string, done func() bool) {
	t.Helper()
	ctx := eventually.Context(t)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		changed := a.Changed()
		if done() {
			return
		}
		select {
		case <-changed:
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("it never came about: %s: %v; the model was asked %d times", what, context.Cause(ctx), len(a.Log()))
		}
	}
}
