package aboard

import (
	"context"
	"io"
	"sync"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// fakeHelm is a helm with a task list in memory.
type fakeHelm struct {
	t *testing.T

	mu       sync.Mutex
	tasks    map[string]tasks.Task
	events   []proto.Event
	pulses   []proto.Pulse
	releases []proto.ReleaseRequest
	from     func(proto.Hello) int64 // place to go on from, 0 when nil
	claimed  map[string]int          // grants by task
	complete func(proto.CompleteRequest) error
	verdict  func() proto.Verdict // "" to wait for the next change
	changed  chan struct{}
	once     map[string]bool       // tasks that are not ready again after a release
	fates    map[string]proto.Fate // of claims that do not stand
	lags     map[string]bool       // tasks that the ship's list shows as free although they are taken
	conn     *wire.Conn
}

func newHelm(t *testing.T, list ...tasks.Task) *fakeHelm {
	h := &fakeHelm{t: t, tasks: map[string]tasks.Task{}, claimed: map[string]int{}, changed: make(chan struct{})}
	for _, task := range list {
		if task.Status == "" {
			task.Status = tasks.Pending
		}
		h.tasks[task.ID] = task
	}
	return h
}

// change runs fn under the lock and wakes who waits.
func (h *fakeHelm) change(fn func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fn()
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *fakeHelm) handlers() wire.Handlers {
	return wire.Handlers{
		proto.MethodHello: wire.Handle(func(_ context.Context, hello proto.Hello) (proto.Welcome, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.from != nil {
				return proto.Welcome{From: h.from(hello)}, nil
			}
			return proto.Welcome{}, nil
		}),
		proto.MethodEvents: wire.Handle(func(_ context.Context, e proto.Events) (any, error) {
			h.change(func() { h.events = append(h.events, e.Events...) })
			return nil, nil
		}),
		proto.MethodPulse: wire.Handle(func(_ context.Context, p proto.Pulse) (any, error) {
			h.change(func() { h.pulses = append(h.pulses, p) })
			return nil, nil
		}),
		proto.MethodClaim:    wire.Handle(h.claim),
		proto.MethodComplete: wire.Handle(h.completeTask),
		proto.MethodRelease: wire.Handle(func(_ context.Context, r proto.ReleaseRequest) (any, error) {
			h.change(func() {
				h.releases = append(h.releases, r)
				t := h.tasks[r.Task]
				t.Status, t.Owner = tasks.Pending, ""
				h.tasks[r.Task] = t
			})
			return nil, nil
		}),
		proto.MethodFate: wire.Handle(func(_ context.Context, c proto.Claim) (proto.Fate, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			f, lost := h.fates[c.Task]
			f.Held = !lost
			return f, nil
		}),
		proto.MethodWait: wire.Handle(func(ctx context.Context, _ proto.WaitRequest) (proto.Verdict, error) {
			for {
				h.mu.Lock()
				v, changed := proto.Verdict{}, h.changed
				if h.verdict != nil {
					v = h.verdict()
				}
				h.mu.Unlock()
				if v.Act != "" {
					return v, nil
				}
				select {
				case <-changed:
				case <-ctx.Done():
					return proto.Verdict{}, ctx.Err()
				}
			}
		}),
	}
}

func (h *fakeHelm) claim(_ context.Context, r proto.ClaimRequest) (proto.Grant, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.Task == "" {
		r.Task = h.ready()
	}
	t, ok := h.tasks[r.Task]
	switch {
	case !ok:
		return proto.Grant{}, &tasks.Refusal{Why: tasks.Unknown, Task: r.Task}
	case t.Status == tasks.Completed:
		return proto.Grant{}, &tasks.Refusal{Why: tasks.Done, Task: r.Task}
	case t.Owner != "" && t.Owner != "ship-0":
		return proto.Grant{}, &tasks.Refusal{Why: tasks.Taken, Task: r.Task, Owner: t.Owner, Ready: []string{"7"}}
	}
	h.claimed[t.ID]++
	t.Status, t.Owner = tasks.InProgress, "ship-0"
	h.tasks[t.ID] = t
	return proto.Grant{Task: t, Epoch: 1, Commit: "c0ffee"}, nil
}

func (h *fakeHelm) completeTask(_ context.Context, r proto.CompleteRequest) (proto.Completed, error) {
	h.mu.Lock()
	check := h.complete
	h.mu.Unlock()
	if check != nil {
		if err := check(r); err != nil {
			return proto.Completed{}, err
		}
	}
	h.change(func() {
		t := h.tasks[r.Task]
		t.Status = tasks.Completed
		h.tasks[r.Task] = t
	})
	return proto.Completed{Commit: "c0ffee", Changed: 1}, nil
}

// ready returns the first task that can be claimed. The caller holds mu.
func (h *fakeHelm) ready() string {
	best := ""
	for id, t := range h.tasks {
		if h.once[id] && h.claimed[id] > 0 {
			continue
		}
		if t.Status == tasks.Pending && t.Owner == "" && (best == "" || tasks.CompareIDs(id, best) < 0) {
			best = id
		}
	}
	return best
}

// lag gives a task to another ship without telling this one.
func (h *fakeHelm) lag(id, owner string) {
	h.lags = map[string]bool{id: true}
	t := h.tasks[id]
	t.Owner = owner
	h.tasks[id] = t
}

// takeBack takes a task from the ship and gives it to another.
func (h *fakeHelm) takeBack(id string, f proto.Fate) {
	h.t.Helper()
	var t tasks.Task
	h.change(func() {
		t = h.tasks[id]
		t.Owner = "ship-1"
		h.tasks[id], h.fates = t, map[string]proto.Fate{id: f}
	})
	if err := h.conn.Call(h.t.Context(), proto.MethodTasks, proto.TaskUpdate{Tasks: []tasks.Task{t}}, nil); err != nil {
		h.t.Fatal(err)
	}
}

// claimedOnce keeps tasks from being ready again.
func (h *fakeHelm) claimedOnce(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.once = map[string]bool{}
	for _, id := range ids {
		h.once[id] = true
	}
}

// untilDone is the verdict of a helm whose tasks are to be done one by one.
func (h *fakeHelm) untilDone() proto.Verdict {
	for id, t := range h.tasks {
		if t.Status == tasks.InProgress && t.Owner == "ship-0" {
			return proto.Verdict{Act: proto.ActContinue, Held: id}
		}
	}
	if id := h.ready(); id != "" {
		return proto.Verdict{Act: proto.ActClaim, Ready: []string{id}}
	}
	return proto.Verdict{Act: proto.ActRest, Why: "all is done"}
}

// connect starts a serve for the ship and sends it the task list. It returns how
// to end that and wait for the end.
func (h *fakeHelm) connect(dir string) (end func() error) {
	h.t.Helper()
	toShip, fromHelm := io.Pipe()
	toHelm, fromShip := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), dir, toShip, fromShip) }()
	conn := wire.New(&stdio{toHelm, fromHelm}, wire.Options{Handlers: h.handlers()})
	end = sync.OnceValue(func() error {
		_ = conn.Close()
		err := <-done
		conn.Wait()
		return err
	})
	h.t.Cleanup(func() { _ = end() })
	aboardtest.Await(h.t, "the ship's socket", func() bool {
		return shipdir.AskOnce(h.t.Context(), shipdir.Dir(dir), shipdir.MethodHeard, shipdir.Heard{}, nil) == nil
	})
	h.mu.Lock()
	h.conn = conn
	var all []tasks.Task
	for _, t := range h.tasks {
		if h.lags[t.ID] {
			t.Owner = ""
		}
		all = append(all, t)
	}
	h.mu.Unlock()
	if err := conn.Call(h.t.Context(), proto.MethodTasks, proto.TaskUpdate{Full: true, Tasks: all}, nil); err != nil {
		h.t.Fatal(err)
	}
	return end
}
