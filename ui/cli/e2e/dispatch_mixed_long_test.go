//go:build long

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/need"
)

// TestDispatchMixed has one pool with workers on this machine and on two hosts. A dispatch for a provider gets a worker from there,
// any other dispatch gets any worker. Hosts are left clean, by a drain and by a removal in the middle of work, and lost work is done
// again.
func TestDispatchMixed(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	all := c.ashore()
	repo := c.freshRepository("kite")
	c.write("kite/scripts/dev-setup.sh", "#!/bin/sh\necho x >>~/set-up\n")
	if err := os.Chmod(filepath.Join(repo, "scripts", "dev-setup.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "set up")
	send := func(command string, more ...string) {
		c.Helper()
		c.ocaptain(append([]string{"dispatch", "--repo", repo, "--agent", "script", "--command", command}, more...)...)
	}
	// A worker runs the setup script once, however many dispatches it has.
	const counts = "wc -l <~/set-up | tr -d ' ' >count"
	for _, from := range []string{"--provider=local", "--provider=hosts", "--max=4", "--provider=hosts", "--provider=local"} {
		send(counts, from, "--wait")
	}
	d := c.voyages()[0]
	did := func(worker string, n int) {
		c.Helper()
		r := c.history("kite")[n-1]
		if r.Worker != worker || r.State != dispatch.Done || c.git(d.Workspace(), "show", r.Branch+":count") != "1" {
			t.Errorf("dispatch %d: %+v", n, r)
		}
	}
	for i, worker := range []string{"kite-1", "kite-2", "kite-1", "kite-2", "kite-1"} {
		did(worker, i+1)
	}
	if out, code := c.try("dispatch", "--repo", repo, "--command", "true", "--worker", "kite-1", "--provider", "hosts"); code == 0 || !strings.Contains(out, "kite-1 comes from local, not from hosts") {
		t.Errorf("of a worker from elsewhere: %d, %q", code, out)
	}
	if out := c.ocaptain("pool", "status"); !strings.Contains(out, "FROM") {
		t.Errorf("the pool is shown as %q", out)
	}

	// A drained worker leaves its host when its work is done, and takes no other dispatch.
	const waits = "until test -e ~/go; do sleep 0.3; done; " + counts
	named := func(b fleet.Board, worker string) *fleet.ShipView {
		for i := range b.Ships {
			if b.Ships[i].Name == worker {
				return &b.Ships[i]
			}
		}
		return nil
	}
	runs := func(task, worker string) string { // returns the worker's home
		c.Helper()
		b := c.until(d, worker+" does "+task, func(b fleet.Board) bool {
			s := named(b, worker)
			return s != nil && s.Task == task
		})
		return named(b, worker).Home
	}
	gone := func(worker string) {
		c.Helper()
		c.until(d, worker+" is gone", func(b fleet.Board) bool { return named(b, worker) == nil })
		for _, h := range all {
			if ships, _ := filepath.Glob(filepath.Join(h.Ships(), d.ID()+"-*")); len(ships) == 0 {
				c.cleared(h)
				return
			}
		}
		t.Fatalf("no host is free after %s left", worker)
	}
	c.ocaptain("pool", "add", "kite", "--provider", "hosts") // on the other host
	send(waits, "--worker=kite-2", "--provider=hosts", "--detach")
	home := runs("6", "kite-2")
	c.ocaptain("pool", "drain", "kite-2")
	if err := os.WriteFile(filepath.Join(home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone("kite-2")
	did("kite-2", 6)

	// A worker that is removed at work returns its dispatch, which waits for another worker from there: the captain is
	// told.
	send(waits, "--provider=hosts", "--detach")
	runs("7", "kite-3")
	c.ocaptain("pool", "rm", "kite-3", "-f")
	gone("kite-3")
	b := c.until(d, "the captain is told", func(b fleet.Board) bool {
		needs := need.All(time.Now(), &b, need.Away{})
		return len(needs) == 1 && needs[0].Why == "dispatch 7 waits for a worker from hosts, and there is none"
	})
	helps := need.All(time.Now(), &b, need.Away{})[0].Command
	c.ocaptain(strings.Fields(helps)[1:]...)
	home = runs("7", "kite-4")
	if err := os.WriteFile(filepath.Join(home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.until(d, "it is done", func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n == 7 })
	did("kite-4", 7)
}
