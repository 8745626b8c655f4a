package voyage

import (
	"slices"
	"testing"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// A dispatch that could only go to paused workers says who they are and why; another worker is made where there may be one.
func TestDispatchToPausedWorker(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub, "")
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	first := v.puts(t, order(base, "echo x >x", 1))
	eventually.Holds(t, "it is done", v.done(first.Task))
	eventually.Holds(t, "the worker is free", v.isFree("kite-1"))
	if err := v.Pauses.Pause(api.PauseRequest{Ships: []string{"kite-1"}}); err != nil {
		t.Fatal(err)
	}
	named, open := order(base, "echo y >y", 2), order(base, "echo z >z", 1)
	named.Dispatch.Worker = "kite-1"
	for _, r := range []api.DispatchRequest{named, open} {
		if out := v.puts(t, r); out.Worker != "" || !slices.Equal(out.Paused, []string{"kite-1"}) || out.Why != "paused by you" || len(out.Coming) > 0 {
			t.Errorf("dispatch for %q: %+v", r.Dispatch.Worker, out)
		}
	}
	more := v.puts(t, order(base, "echo u >u", 2))
	if !slices.Equal(more.Coming, []string{"kite-2"}) || len(more.Paused) > 0 {
		t.Errorf("with room for another: %+v", more)
	}
	eventually.Holds(t, "another worker does what it may", v.done(more.Task))
	if owner := v.state(more.Task).Owner; owner != "kite-2" {
		t.Errorf("%s has done it", owner)
	}
	if _, err := v.Pauses.Unpause([]string{"kite-1"}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "all are done", func() bool {
		return !slices.ContainsFunc(v.Store.Snapshot().Tasks, func(s *tasks.State) bool { return s.Status != tasks.Completed })
	})
}
