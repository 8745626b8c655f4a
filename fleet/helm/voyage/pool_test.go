package voyage

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/clock"
	"ocaptain/fleet/helm/dispatcher"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/helm/post"
	"ocaptain/fleet/link"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// newPool makes the directory of a pool whose workers come from a provider, "" for this machine.
func newPool(t *testing.T, hub fleet.Hub, provider string) (d fleet.Dir, base string) {
	d = helmtest.Voyage(t, hub, fleet.Voyage{Kind: fleet.Pool, Name: "kite", Provider: provider}, "")
	return d, git(t, d, "rev-parse", "HEAD")
}

// order is a dispatch to a pool of at most so many workers.
func order(base, command string, workers int) api.DispatchRequest {
	return api.DispatchRequest{Dispatch: tasks.Dispatch{Command: command, Base: base, Key: command}, Workers: workers}
}

// puts has a dispatch accepted.
func (v *Voyage) puts(t *testing.T, r api.DispatchRequest) api.Dispatched {
	t.Helper()
	out, err := v.Dispatcher.Dispatch(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// state returns how a task stands.
func (v *Voyage) state(id string) *tasks.State { return v.Store.Snapshot().Task(id) }

// done makes a condition of a task.
func (v *Voyage) done(id string) func() bool {
	return func() bool { return v.state(id).Status == tasks.Completed }
}

// isFree makes a condition of a worker.
func (v *Voyage) isFree(worker string) func() bool {
	return func() bool {
		return slices.ContainsFunc(workers(v, time.Now()), func(w dispatcher.Worker) bool { return w.Name == worker && w.Free })
	}
}

// TestPool dispatches a command to a pool without workers: one is made, and its work goes to a branch of its own. The next
// command goes to the same worker, and begins where it was told to.
func TestPool(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub, "")
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	out, err := v.Dispatcher.Dispatch(t.Context(), order(base, "echo one >one; git add one; git commit -qm agent", 4))
	if err != nil || out.Task != "1" || out.Worker != "" || out.Place != 1 || fmt.Sprint(out.Coming) != "[kite-1]" {
		t.Fatalf("%+v, %v", out, err)
	}
	if again, err := v.Dispatcher.Dispatch(t.Context(), order(base, "echo one >one; git add one; git commit -qm agent", 4)); err != nil || again.Task != "1" {
		t.Fatalf("asked for again it is %+v, %v", again, err)
	}
	eventually.Holds(t, "it is done", v.done("1"))
	first := v.state("1")
	if head := git(t, d, "rev-parse", "dispatch/kite-1-1"); head != first.Commit || git(t, d, "rev-parse", head+"^") != base {
		t.Errorf("the branch is at %s, not on %s", head, base)
	}
	if head := git(t, d, "rev-parse", v.Info.Branch); head != base {
		t.Errorf("the pool's own branch is at %s", head)
	}
	eventually.Holds(t, "the worker is free", v.isFree("kite-1"))
	for _, from := range []string{base, first.Commit} {
		out, err = v.Dispatcher.Dispatch(t.Context(), order(from, "test -e one && echo grown >two || echo new >two; cp two "+from, 4))
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
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub, "")
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

// TestPoolDrain drains workers: a busy worker finishes and goes, an idle worker goes at once, and the queue waits for others.
func TestPoolDrain(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub, "")
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	v.puts(t, order(base, "while ! test -e ~/go; do sleep 0.3; done; echo x >x", 1))
	eventually.Holds(t, "it works", func() bool { return v.state("1").Status == tasks.InProgress })
	if err := v.Fit.Drain("kite-1"); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Dispatcher.Dispatch(t.Context(), api.DispatchRequest{Dispatch: tasks.Dispatch{Command: "x", Key: "w", Worker: "kite-1"}}); err == nil || !strings.Contains(err.Error(), "drained") {
		t.Errorf("it takes more: %v", err)
	}
	v.puts(t, order(base, "echo y >y", 1))
	writeFile(t, homeOf(t, v, "kite-1"), "go", "")
	eventually.Holds(t, "both are done", func() bool { return v.done("1")() && v.done("2")() })
	if owner := v.state("2").Owner; owner != "kite-2" {
		t.Errorf("%s has done the second", owner)
	}
	eventually.Holds(t, "the drained worker is gone", func() bool { return v.out() == "kite-2" })
	if err := v.Fit.Drain("kite-2"); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the idle worker is gone", func() bool { return v.out() == "" })
}

// Bad orders are refused, and nothing is added.
func TestPoolRefusals(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d, base := newPool(t, hub, "")
	v := openIt(t, h, d)
	plan := openIt(t, h, helmtest.Voyage(t, hub, fleet.Voyage{}, ""))
	for name, tt := range map[string]struct {
		v    *Voyage
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
		if _, err := tt.v.Dispatcher.Dispatch(t.Context(), tt.r); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(v.Store.Snapshot().Tasks); n > 0 {
		t.Errorf("%d were added", n)
	}
	if err := v.Verifier.Now(t.Context(), api.VerifyRequest{}, nil); err == nil || !strings.Contains(err.Error(), "kite is a pool") {
		t.Errorf("it is verified: %v", err)
	}
}

// TestPoolWithdraws requeues a dispatch before its agent has heard of it: the old message is taken back, and the new claim has one of its
// own.
func TestPoolWithdraws(t *testing.T) {
	t.Parallel()
	v, s, _, _ := watchedPool(t)
	b, err := v.Post.Box("kite-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Add(mailbox.Message{ID: post.ClaimID("1", 1), Text: "do it"}); err != nil {
		t.Fatal(err)
	}
	s.Reach.Greet(nil) // else it is asked for its work
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "1"}); err != nil {
		t.Fatal(err)
	}
	if b.Has(post.ClaimID("1", 1)) {
		t.Error("the message waits still")
	}
	if g, err := v.Store.Claim(t.Context(), "kite-1", "1"); err != nil || s.gifts.KnowsOf(v.state("1")) || post.ClaimID("1", g.Epoch) == post.ClaimID("1", 1) {
		t.Errorf("the next claim is %+v, %v", g, err)
	}
}

// watchedPool is a pool whose worker kite-1 has a dispatch since at; only the test acts, at times of its own.
func watchedPool(t *testing.T) (v *Voyage, s *Ship, h *heard, at time.Time) {
	hub := helmtest.Hub(t)
	helm := startHelm(t, hub)
	helm.Awake = (&clock.Clock{}).AwakeSince
	d := helmtest.Voyage(t, hub, fleet.Voyage{Kind: fleet.Pool, Name: "kite", Check: 30 * time.Minute}, "")
	if err := saveSecrets(d, map[string]string{"ANTHROPIC_API_KEY": "sk-ant-test"}); err != nil {
		t.Fatal(err)
	}
	v = openStill(t, helm, d)
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) {
		f.Phase = fleet.Sailing
		f.Ships = []*fleet.Ship{{Name: "kite-1", Number: 1, Agent: "claude", Provider: "local", Phase: fleet.Afloat}}
	})
	s, h = fakeShip(t, v, "kite-1")
	h.text = pool.Nudge
	if _, err := v.Store.Add(t.Context(), []tasks.Task{tasks.Dispatch{Command: "do it", Key: "k"}.Task()}); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Store.Claim(t.Context(), "kite-1", "1"); err != nil {
		t.Fatal(err)
	}
	at = time.Now().Add(1000 * time.Hour)
	v.common.Awake(at) // it has been awake since
	s.report(at, proto.AgentState{State: proto.StateWorking})
	s.Reach.Note(link.Status{State: link.Connected})
	changes(v, func() { s.restored = true })
	v.Dispatcher.Watch.Change(func(is *pool.Watch) { is.Begins(s.Name, at) })
	return v, s, h, at
}
