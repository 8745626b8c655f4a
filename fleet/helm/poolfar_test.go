package helm

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/provider/sprites/spritestest"
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

// TestGoneWorkerFreesItsPlace removes the machine of the one worker that there may be, behind the captain's back: the next dispatch gets
// another worker, once the provider has twice not found the machine.
func TestGoneWorkerFreesItsPlace(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	far := spritestest.Start(t, spritestest.Options{Exe: program, Args: []string{"aboard", "sshd"}})
	atSprites(t, far, hub)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{Kind: fleet.Pool, Name: "kite", Provider: "sprites"}, "")
	sinkAfter(t, h, d)
	base := git(t, d, "rev-parse", "HEAD")
	v := openIt(t, h, d)
	one := v.puts(t, order(base, "echo one >one", 1))
	eventually.Holds(t, "it is done", v.done(one.Task))
	far.Remove(far.Names()[0])
	eventually.Holds(t, "the worker counts no more", func() bool { return len(v.workers()) == 0 })
	two := v.puts(t, order(base, "echo two >two", 1))
	eventually.Holds(t, "it is done", v.done(two.Task))
	if names := far.Names(); len(names) != 1 {
		t.Errorf("there are %v", names)
	}
}
