//go:build long

package voyage

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestPoolFar has workers at sprites.dev and exe.dev. Machines have names that the provider takes, workers are called after the
// repository all the same. A worker is used again after it slept, and one whose machine vanished is replaced with what it had to do.
func TestPoolFar(t *testing.T) {
	t.Parallel()
	t.Run("sprites", func(t *testing.T) {
		hub := helmtest.Hub(t)
		f := helmtest.Sprites(t)
		helmtest.AtSprites(t, f, hub)
		v, base := farPool(t, startHelm(t, hub), "sprites")
		v.does(t, base, "echo 1 >1", "kite-1")
		names := f.Names()
		if len(names) != 1 {
			t.Fatalf("there are %q", names)
		}
		f.Pause(names[0])
		v.does(t, base, "echo 2 >2", "kite-1")
		f.Remove(names[0])
		v.puts(t, order(base, "echo 3 >3", 1))
		eventually.Holds(t, "the captain is told", func() bool {
			b := v.Board()
			return b.Ships[0].Status.Word != fleet.Idle && !v.done("3")()
		})
		if err := v.Fit.Replace(t.Context(), "kite-1", func(api.Progress) {}); err != nil {
			t.Fatal(err)
		}
		eventually.Holds(t, "the new machine does it", v.done("3"))
	})
	t.Run("exedev", func(t *testing.T) {
		hub := helmtest.Hub(t)
		f := helmtest.Exe(t)
		helmtest.AtExe(t, f, hub)
		v, base := farPool(t, startHelm(t, hub), "exedev")
		v.does(t, base, "echo 1 >1", "kite-1")
		v.does(t, base, "echo 2 >2", "kite-1")
		machine := reads(v, func() string { return v.Roster.Ship("kite-1").MachineName(v.Dir.ID()) })
		if regexp.MustCompile(`-\d+$`).MatchString(machine) || strings.Contains(machine, "kite") {
			t.Errorf("its machine is called %s", machine)
		}
	})
}

// TestPoolMixed has workers from two providers, and the second makes none at first: a dispatch for the second provider waits, other
// dispatches go ahead, and helm tries to make that worker again for the next dispatch for the second provider.
func TestPoolMixed(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	second := another(t, hub)
	var works atomic.Bool
	fromHosts(h, elsewhere{Provider: second, create: func(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
		if !works.Load() {
			return provider.Machine{}, errors.New("the host is on fire")
		}
		return second.Create(ctx, spec)
	}})
	d, base := newPool(t, hub, "")
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	there := func(command string) api.DispatchRequest {
		r := order(base, command, 2)
		r.Dispatch.Provider = "hosts"
		return r
	}
	if out := v.puts(t, there("echo 1 >1")); len(out.Coming) != 1 {
		t.Errorf("for the first there come %q", out.Coming)
	}
	eventually.Holds(t, "it could not be made", func() bool { return v.from() == "kite-1 hosts failed" })
	v.puts(t, order(base, "echo 2 >2", 2))
	eventually.Holds(t, "the second is done", v.done("2"))
	eventually.Holds(t, "it could not be made again", func() bool { return v.from() == "kite-1 hosts failed, kite-2 local afloat" })
	works.Store(true)
	v.puts(t, there("echo 3 >3"))
	eventually.Holds(t, "all are done", func() bool { return v.done("1")() && v.done("3")() })
	if is := v.state("1").Owner + v.state("2").Owner + v.state("3").Owner; is != "kite-1kite-2kite-1" {
		t.Errorf("they were done by %s", is)
	}
	if got := v.from(); got != "kite-1 hosts afloat, kite-2 local afloat" {
		t.Errorf("there are %s", got)
	}
	r := there("echo 4 >4")
	r.Dispatch.Worker = "kite-2"
	if _, err := v.Dispatcher.Dispatch(t.Context(), r); err == nil || !strings.Contains(err.Error(), "kite-2 comes from local, not from hosts") {
		t.Errorf("a worker from elsewhere: %v", err)
	}
}

// TestPoolsOfTwoLaptops has two installs with one account and the same repository: each has its own worker, and neither the other's.
func TestPoolsOfTwoLaptops(t *testing.T) {
	t.Parallel()
	f := helmtest.Sprites(t)
	var all []*Voyage
	for range 2 {
		hub := helmtest.Hub(t)
		helmtest.AtSprites(t, f, hub)
		v, base := farPool(t, startHelm(t, hub), "sprites")
		v.does(t, base, "echo 1 >1", "kite-1")
		all = append(all, v)
	}
	if names := f.Names(); len(names) != 2 {
		t.Errorf("there are %q", names)
	}
	for _, v := range all {
		if _, err := v.Dispatcher.Dispatch(t.Context(), api.DispatchRequest{Dispatch: tasks.Dispatch{Command: "x", Worker: "kite-2"}, Workers: 1}); err == nil {
			t.Error("it has the other's worker")
		}
	}
}
