package helm

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
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/mailbox"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/journal"
)

// newPool makes the directory of a pool.
func newPool(t *testing.T, hub fleet.Hub) (d fleet.Dir, base string) {
	d = newVoyage(t, hub, fleet.Voyage{Kind: fleet.Pool, Name: "kite"}, "")
	return d, git(t, d, "rev-parse", "HEAD")
}

// order is a dispatch to a pool of at most so many workers.
func order(base, command string, workers int) api.DispatchRequest {
	return api.DispatchRequest{Dispatch: tasks.Dispatch{Command: command, Base: base, Key: command}, Workers: workers}
}

// puts has a dispatch accepted.
func (v *voyage) puts(t *testing.T, r api.DispatchRequest) api.Dispatched {
	t.Helper()
	out, err := v.dispatch(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// state returns how a task stands.
func (v *voyage) state(id string) *tasks.State { return v.store.Snapshot().Task(id) }

// done makes a condition of a task.
func (v *voyage) done(id string) func() bool {
	return func() bool { return v.state(id).Status == tasks.Completed }
}

// TestPool dispatches a command to a pool without workers: one is made, and its work goes to a branch of its own. The next
// command goes to the same worker, and begins where it was told to.
func TestPool(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	out, err := v.dispatch(t.Context(), order(base, "echo one >one; git add one; git commit -qm agent", 4))
	if err != nil || out.Task != "1" || out.Worker != "" || out.Place != 1 || fmt.Sprint(out.Coming) != "[kite-1]" {
		t.Fatalf("%+v, %v", out, err)
	}
	if again, err := v.dispatch(t.Context(), order(base, "echo one >one; git add one; git commit -qm agent", 4)); err != nil || again.Task != "1" {
		t.Fatalf("asked for again it is %+v, %v", again, err)
	}
	eventually.Holds(t, "it is done", v.done("1"))
	first := v.state("1")
	if head := git(t, d, "rev-parse", "dispatch/kite-1-1"); head != first.Commit || git(t, d, "rev-parse", head+"^") != base {
		t.Errorf("the branch is at %s, not on %s", head, base)
	}
	if head := git(t, d, "rev-parse", v.info.Branch); head != base {
		t.Errorf("the pool's own branch is at %s", head)
	}
	eventually.Holds(t, "the worker is free", func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return len(v.idleLocked(time.Now())) == 1
	})
	for _, from := range []string{base, first.Commit} {
		out, err = v.dispatch(t.Context(), order(from, "test -e one && echo grown >two || echo new >two; cp two "+from, 4))
		if err != nil || out.Worker != "" && out.Worker != "kite-1" || len(out.Coming) > 0 && out.Worker != "" {
			t.Fatalf("%+v, %v", out, err)
		}
		eventually.Holds(t, "it is done", v.done(out.Task))
	}
	for id, want := range map[string]string{"2": "new", "3": "grown"} {
		if is := git(t, d, "show", v.state(id).Commit+":two"); is != want {
			t.Errorf("dispatch %s saw %s", id, is)
		}
	}
}

// TestPoolFailure lets a command fail: it is tried once, and put on hold with the reason. The worker takes the next.
func TestPoolFailure(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	for _, command := range []string{"echo x >>~/count; echo no such thing >&2; exit 3", "echo two >two"} {
		v.puts(t, order(base, command, 1))
	}
	eventually.Holds(t, "the second is done", v.done("2"))
	is := v.state("1")
	if raw, _ := os.ReadFile(filepath.Join(homeOf(t, v, "kite-1"), "count")); !is.OnHold || !strings.Contains(is.Reason, "exit") || string(raw) != "x\n" {
		t.Errorf("%+v, tried %q", is, raw)
	}
	if w := git(t, d, "for-each-ref", "--format=%(refname:short)", "refs/heads/dispatch"); w != "dispatch/kite-1-2" {
		t.Errorf("there are branches %s", w)
	}
}

// TestPoolExactlyOnce dispatches twelve commands at once to three workers while helm ends again and again: each runs once, they
// begin in the order of the queue, and each has a branch.
func TestPoolExactlyOnce(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub)
	const n = 12
	v := openIt(t, h, d)
	var all gosync.WaitGroup
	for i := range n {
		all.Go(func() {
			command := fmt.Sprintf("echo x >>~/ran-%d; sleep 0.5; echo %d >%d", i, i, i)
			if _, err := v.dispatch(context.Background(), order(base, command, 3)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	finished := func() (done int) {
		for _, s := range v.store.Snapshot().Tasks {
			if s.Status == tasks.Completed {
				done++
			}
		}
		return done
	}
	for _, after := range []int{1, 4, 8} {
		eventually.Holds(t, fmt.Sprint(after, " are done"), func() bool { return finished() >= after })
		h.close()
		h = startHelm(t, hub)
		v = openIt(t, h, d)
	}
	sinkAfter(t, h, d)
	eventually.Holds(t, "all are done", func() bool { return finished() == n })
	for i := range n {
		ran := ""
		for _, f := range v.fleet.Ships {
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

// TestPoolDrain drains workers: one that is busy finishes and goes, an idle one goes at once, and the queue waits for others.
func TestPoolDrain(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	v.puts(t, order(base, "while ! test -e ~/go; do sleep 0.3; done; echo x >x", 1))
	eventually.Holds(t, "it works", func() bool { return v.state("1").Status == tasks.InProgress })
	if err := v.drain("kite-1"); err != nil {
		t.Fatal(err)
	}
	if _, err := v.dispatch(t.Context(), api.DispatchRequest{Dispatch: tasks.Dispatch{Command: "x", Key: "w", Worker: "kite-1"}}); err == nil || !strings.Contains(err.Error(), "drained") {
		t.Errorf("it takes more: %v", err)
	}
	v.puts(t, order(base, "echo y >y", 1))
	writeFile(t, homeOf(t, v, "kite-1"), "go", "")
	eventually.Holds(t, "both are done", func() bool { return v.done("1")() && v.done("2")() })
	if owner := v.state("2").Owner; owner != "kite-2" {
		t.Errorf("%s has done the second", owner)
	}
	names := func() string {
		v.mu.Lock()
		defer v.mu.Unlock()
		var names []string
		for _, f := range v.fleet.Ships {
			names = append(names, f.Name)
		}
		return strings.Join(names, " ")
	}
	eventually.Holds(t, "the drained worker is gone", func() bool { return names() == "kite-2" })
	if err := v.drain("kite-2"); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the idle worker is gone", func() bool { return names() == "" })
}

// Bad orders are refused, and nothing is added.
func TestPoolRefusals(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub)
	v := openIt(t, h, d)
	plan := openIt(t, h, newVoyage(t, hub, fleet.Voyage{}, ""))
	for name, tt := range map[string]struct {
		v    *voyage
		r    api.DispatchRequest
		want string
	}{
		"no pool":      {plan, order(base, "x", 1), "is no pool"},
		"empty":        {v, order(base, " ", 1), "empty"},
		"no text":      {v, order(base, "a\x1bb", 1), "control character"},
		"no such ship": {v, api.DispatchRequest{Dispatch: tasks.Dispatch{Command: "x", Worker: "kite-9"}}, "has no worker kite-9"},
		"no provider":  {v, api.DispatchRequest{Dispatch: tasks.Dispatch{Command: "x", Provider: "moon"}}, "there is no provider moon"},
		"no more":      {v, api.DispatchRequest{Dispatch: tasks.Dispatch{Command: "x", Provider: "hosts"}}, "none of its workers comes from hosts"},
	} {
		if _, err := tt.v.dispatch(t.Context(), tt.r); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(v.store.Snapshot().Tasks); n > 0 {
		t.Errorf("%d were added", n)
	}
	if err := v.verifyNow(t.Context(), api.VerifyRequest{}, nil); err == nil || !strings.Contains(err.Error(), "kite is a pool") {
		t.Errorf("it is verified: %v", err)
	}
}

// TestPoolJournalLost loses the journal between two helms: what was done is known by its branch, also what changed nothing, and is
// not done again; what waited is.
func TestPoolJournalLost(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub)
	git(t, d, "update-ref", "refs/ocaptain/from/"+base, base) // as Fetch does
	v := openIt(t, h, d)
	for _, command := range []string{"echo x >>~/ran; echo one >one", "echo y >>~/ran", "until test -e ~/go; do sleep 0.3; done; echo z >>~/ran", "echo last >>~/ran; echo last >last"} {
		v.puts(t, order(base, command, 1))
	}
	eventually.Holds(t, "two are done, the third runs", func() bool { return v.done("1")() && v.done("2")() && v.state("3").Status == tasks.InProgress })
	home := homeOf(t, v, "kite-1")
	v.save()
	h.close()
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
	hub := newHub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	git(t, d, "symbolic-ref", "HEAD", "refs/heads/dispatch/kite-1-1")
	v.puts(t, order(base, "echo 1 >1", 1))
	waits := func() bool { return strings.Contains(v.currentBoard().InTheWay["1"].Why, "is checked out") }
	eventually.Holds(t, "the first waits", waits)
	v.puts(t, order(base, "echo 2 >2", 2))
	eventually.Holds(t, "the second is done", v.done("2"))
	if v.done("1")() || !waits() {
		t.Errorf("the first is %+v", v.state("1"))
	}
	git(t, d, "symbolic-ref", "HEAD", "refs/heads/"+v.info.Branch)
	eventually.Holds(t, "both are done", func() bool { return v.done("1")() && v.done("2")() })
}

// TestPoolWithdraws requeues a dispatch before its agent has heard of it: the old message is taken back, and the new claim has one of its
// own.
func TestPoolWithdraws(t *testing.T) {
	t.Parallel()
	v, s, _, _ := watchedPool(t)
	b, err := v.post.boxOf("kite-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Add(mailbox.Message{ID: giftID("1", 1), Text: "do it"}); err != nil {
		t.Fatal(err)
	}
	v.mu.Lock()
	s.conn = nil // else it is asked for its work
	v.mu.Unlock()
	if _, err := v.requeue(t.Context(), api.RequeueRequest{Task: "1"}); err != nil {
		t.Fatal(err)
	}
	if b.Has(giftID("1", 1)) {
		t.Error("the message waits still")
	}
	if g, err := v.store.Claim(t.Context(), "kite-1", "1"); err != nil || s.knowsOf(v.state("1")) || giftID("1", g.Epoch) == giftID("1", 1) {
		t.Errorf("the next claim is %+v, %v", g, err)
	}
}

// TestPoolCannotBegin has a worker whose box is full of messages: the captain is told once, not at every try.
func TestPoolCannotBegin(t *testing.T) {
	t.Parallel()
	v, s, _, _ := watchedPool(t)
	for range 3 {
		s.cannotBegin("1", mailbox.ErrFull)
	}
	s.cannotBegin("1", errHelmEnds)
	if n := strings.Count(notesOf(v), "could not begin it"); n != 1 {
		t.Errorf("told %d times: %s", n, notesOf(v))
	}
}
