package helm

import (
	"testing"

	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// farPool is a pool whose workers come from elsewhere.
func farPool(t *testing.T, h *Helm, provider string) (v *voyage, base string) {
	t.Helper()
	d, base := newPool(t, h.hub)
	comesFrom(t, d, provider)
	sinkAfter(t, h, d)
	return openIt(t, h, d), base
}

// does has a command done, by the worker of that name.
func (v *voyage) does(t *testing.T, base, command, worker string) {
	t.Helper()
	out := v.puts(t, order(base, command, 1))
	eventually.Holds(t, command, v.done(out.Task))
	if is := v.state(out.Task).Owner; is != worker {
		t.Errorf("%s has done %q", is, command)
	}
}

// TestPoolsOfTwoLaptops has two installs with one account and the same repository: each has its own worker, and neither the other's.
func TestPoolsOfTwoLaptops(t *testing.T) {
	t.Parallel()
	f := newSprites(t)
	var all []*voyage
	for range 2 {
		hub := newHub(t)
		atSprites(t, f, hub)
		v, base := farPool(t, startHelm(t, hub), "sprites")
		v.does(t, base, "echo 1 >1", "kite-1")
		all = append(all, v)
	}
	if names := f.Names(); len(names) != 2 {
		t.Errorf("there are %q", names)
	}
	for _, v := range all {
		if _, err := v.dispatch(t.Context(), api.DispatchRequest{Dispatch: tasks.Dispatch{Command: "x", Worker: "kite-2"}, Workers: 1}); err == nil {
			t.Error("it has the other's worker")
		}
	}
}
