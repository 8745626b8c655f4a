//go:build long

package voyage

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"
	"testing"

	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/journal"
)

// TestPoolExactlyOnce dispatches twelve commands at once to three workers while helm ends again and again: each runs once, they
// begin in the order of the queue, and each has a branch.
func TestPoolExactlyOnce(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub, "")
	const n = 12
	v := openIt(t, h, d)
	var all gosync.WaitGroup
	for i := range n {
		all.Go(func() {
			command := fmt.Sprintf("echo x >>~/ran-%d; sleep 0.5; echo %d >%d", i, i, i)
			if _, err := v.Dispatcher.Dispatch(context.Background(), order(base, command, 3)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	finished := func() (done int) {
		for _, s := range v.Store.Snapshot().Tasks {
			if s.Status == tasks.Completed {
				done++
			}
		}
		return done
	}
	for _, after := range []int{1, 4, 8} {
		eventually.Holds(t, fmt.Sprint(after, " are done"), func() bool { return finished() >= after })
		h.Close()
		h = startHelm(t, hub)
		v = openIt(t, h, d)
	}
	sinkAfter(t, h, d)
	eventually.Holds(t, "all are done", func() bool { return finished() == n })
	for i := range n {
		ran := ""
		for _, f := range v.Roster.Now().Ships {
			raw, _ := os.ReadFile(filepath.Join(homeOf(t, v, f.Name), fmt.Sprint("ran-", i)))
			ran += string(raw)
		}
		if ran != "x\n" {
			t.Errorf("command %d ran %d times", i, len(ran)/2)
		}
	}
	var given []string // each the first time: helm may have ended before the worker took it up
	claims := map[string]int{}
	if _, err := journal.Read(d.Events(), 0, func(r journal.Record) error {
		var c struct{ Task, Owner string }
		switch {
		case r.Kind != "task.reserved" && r.Kind != "task.claimed":
			return nil
		case json.Unmarshal(r.Data, &c) != nil:
			t.Errorf("a record of %s: %s", r.Kind, r.Data)
		case r.Kind == "task.claimed":
			claims[c.Task]++
		case c.Owner != "" && !slices.Contains(given, c.Task):
			given = append(given, c.Task)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if id := fmt.Sprint(i + 1); i >= len(given) || given[i] != id || claims[id] != 1 {
			t.Errorf("dispatch %s was claimed %d times; they were given as %v", id, claims[id], given)
		}
	}
	if refs := strings.Fields(git(t, d, "for-each-ref", "--format=%(refname)", "refs/heads/dispatch")); len(refs) != n {
		t.Errorf("there are %d branches: %v", len(refs), refs)
	}
}

// TestPoolJournalLost loses the journal between two helms: what was done is known by its branch, also what changed nothing, and is
// not done again; what waited is.
func TestPoolJournalLost(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub, "")
	git(t, d, "update-ref", "refs/ocaptain/from/"+base, base) // as Fetch does
	v := openIt(t, h, d)
	for _, command := range []string{"echo x >>~/ran; echo one >one", "echo y >>~/ran", "until test -e ~/go; do sleep 0.3; done; echo z >>~/ran", "echo last >>~/ran; echo last >last"} {
		v.puts(t, order(base, command, 1))
	}
	eventually.Holds(t, "two are done, the third runs", func() bool { return v.done("1")() && v.done("2")() && v.state("3").Status == tasks.InProgress })
	home := homeOf(t, v, "kite-1")
	v.keeper.Save()
	h.Close()
	if err := os.Remove(d.Events()); err != nil {
		t.Fatal(err)
	}
	h = startHelm(t, hub)
	sinkAfter(t, h, d)
	v = openIt(t, h, d)
	if !v.done("1")() || !v.done("2")() {
		t.Errorf("what was done is %+v, %+v", v.state("1"), v.state("2"))
	}
	writeFile(t, home, "go", "")
	eventually.Holds(t, "all are done", func() bool { return v.done("3")() && v.done("4")() })
	if raw, _ := os.ReadFile(filepath.Join(home, "ran")); string(raw) != "x\ny\nz\nlast\n" {
		t.Errorf("they ran as %q", raw)
	}
}

// TestPoolBranchInTheWay has the captain stand on the branch that a dispatch is to make: that work waits, and says why; another's
// comes home meanwhile.
func TestPoolBranchInTheWay(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub, "")
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	git(t, d, "symbolic-ref", "HEAD", "refs/heads/dispatch/kite-1-1")
	v.puts(t, order(base, "echo 1 >1", 1))
	waits := func() bool { return strings.Contains(v.Board().InTheWay["1"].Why, "is checked out") }
	eventually.Holds(t, "the first waits", waits)
	v.puts(t, order(base, "echo 2 >2", 2))
	eventually.Holds(t, "the second is done", v.done("2"))
	if v.done("1")() || !waits() {
		t.Errorf("the first is %+v", v.state("1"))
	}
	git(t, d, "symbolic-ref", "HEAD", "refs/heads/"+v.Info.Branch)
	eventually.Holds(t, "both are done", func() bool { return v.done("1")() && v.done("2")() })
}
