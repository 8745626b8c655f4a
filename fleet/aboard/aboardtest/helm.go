package aboardtest

import (
	"context"
	"io"
	"sync"
	"testing"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// Helm is a helm with a task list in memory.
type Helm struct {
	t *testing.T

	Mu       sync.Mutex
	Tasks    map[string]tasks.Task
	Events   []proto.Event
	Pulses   []proto.Pulse
	Releases []proto.ReleaseRequest
	From     func(proto.Hello) int64 // place to go on from, 0 when nil
	Claimed  map[string]int          // grants by task
	HandedIn map[string]bool         // tasks of ship-0 that are in review
	Complete func(proto.CompleteRequest) error
	Verdict  func() proto.Verdict // "" to wait for the next change
	changed  chan struct{}
	once     map[string]bool       // tasks that are not ready again after a release
	Fates    map[string]proto.Fate // of claims that do not stand
	Lags     map[string]bool       // tasks that the ship's list shows as free although they are taken
	Conn     *wire.Conn
}

// NewHelm returns a helm that has these tasks and is connected with no ship.
func NewHelm(t *testing.T, list ...tasks.Task) *Helm {
	h := &Helm{t: t, Tasks: map[string]tasks.Task{}, Claimed: map[string]int{}, changed: make(chan struct{})}
	for _, task := range list {
		if task.Status == "" {
			task.Status = tasks.Pending
		}
		h.Tasks[task.ID] = task
	}
	return h
}

// Change runs fn under the lock and wakes who waits.
func (h *Helm) Change(fn func()) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	fn()
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *Helm) handlers() wire.Handlers {
	return wire.Handlers{
		proto.MethodHello: wire.Handle(func(_ context.Context, hello proto.Hello) (proto.Welcome, error) {
			h.Mu.Lock()
			defer h.Mu.Unlock()
			if h.From != nil {
				return proto.Welcome{From: h.From(hello)}, nil
			}
			return proto.Welcome{}, nil
		}),
		proto.MethodEvents: wire.Handle(func(_ context.Context, e proto.Events) (any, error) {
			h.Change(func() { h.Events = append(h.Events, e.Events...) })
			return nil, nil
		}),
		proto.MethodPulse: wire.Handle(func(_ context.Context, p proto.Pulse) (any, error) {
			h.Change(func() { h.Pulses = append(h.Pulses, p) })
			return nil, nil
		}),
		proto.MethodClaim:    wire.Handle(h.claim),
		proto.MethodComplete: wire.Handle(h.completeTask),
		proto.MethodRelease: wire.Handle(func(_ context.Context, r proto.ReleaseRequest) (any, error) {
			h.Change(func() {
				h.Releases = append(h.Releases, r)
				t := h.Tasks[r.Task]
				t.Status, t.Owner = tasks.Pending, ""
				h.Tasks[r.Task] = t
			})
			return nil, nil
		}),
		proto.MethodFate: wire.Handle(func(_ context.Context, c proto.Claim) (proto.Fate, error) {
			h.Mu.Lock()
			defer h.Mu.Unlock()
			f, lost := h.Fates[c.Task]
			f.Held = !lost
			return f, nil
		}),
		proto.MethodWait: wire.Handle(func(ctx context.Context, _ proto.WaitRequest) (proto.Verdict, error) {
			for {
				h.Mu.Lock()
				v, changed := proto.Verdict{}, h.changed
				if h.Verdict != nil {
					v = h.Verdict()
				}
				h.Mu.Unlock()
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

func (h *Helm) claim(_ context.Context, r proto.ClaimRequest) (proto.Grant, error) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	if r.Task == "" {
		r.Task = h.ready()
	}
	t, ok := h.Tasks[r.Task]
	switch {
	case !ok:
		return proto.Grant{}, &tasks.Refusal{Why: tasks.Unknown, Task: r.Task}
	case t.Status == tasks.Completed:
		return proto.Grant{}, &tasks.Refusal{Why: tasks.Done, Task: r.Task}
	case t.Owner != "" && t.Owner != "ship-0":
		return proto.Grant{}, &tasks.Refusal{Why: tasks.Taken, Task: r.Task, Owner: t.Owner, Ready: []string{"7"}}
	}
	h.Claimed[t.ID]++
	t.Status, t.Owner = tasks.InProgress, "ship-0"
	h.Tasks[t.ID] = t
	return proto.Grant{Task: t, Epoch: 1, Commit: "c0ffee"}, nil
}

func (h *Helm) completeTask(_ context.Context, r proto.CompleteRequest) (proto.Completed, error) {
	h.Mu.Lock()
	check := h.Complete
	t, ok := h.Tasks[r.Task]
	handedIn := h.HandedIn[r.Task]
	h.Mu.Unlock()
	switch {
	case !ok:
		return proto.Completed{}, &tasks.Refusal{Why: tasks.Unknown, Task: r.Task}
	case handedIn:
		return proto.Completed{Commit: "c0ffee", Open: true, Review: true}, nil
	case t.Owner != "" && t.Owner != "ship-0":
		return proto.Completed{}, &tasks.Refusal{Why: tasks.Taken, Task: r.Task, Owner: t.Owner}
	}
	if check != nil {
		if err := check(r); err != nil {
			return proto.Completed{}, err
		}
	}
	h.Change(func() {
		t := h.Tasks[r.Task]
		t.Status = tasks.Completed
		h.Tasks[r.Task] = t
	})
	return proto.Completed{Commit: "c0ffee", Changed: 1}, nil
}

// ready returns the first task that can be claimed. The caller holds mu.
func (h *Helm) ready() string {
	best := ""
	for id, t := range h.Tasks {
		if h.once[id] && h.Claimed[id] > 0 {
			continue
		}
		if t.Status == tasks.Pending && t.Owner == "" && (best == "" || tasks.CompareIDs(id, best) < 0) {
			best = id
		}
	}
	return best
}

// Lag gives a task to another ship without telling this one.
func (h *Helm) Lag(id, owner string) {
	h.Lags = map[string]bool{id: true}
	t := h.Tasks[id]
	t.Owner = owner
	h.Tasks[id] = t
}

// TakeBack takes a task from the ship and gives it to another.
func (h *Helm) TakeBack(id string, f proto.Fate) {
	h.t.Helper()
	var t tasks.Task
	h.Change(func() {
		t = h.Tasks[id]
		t.Owner = "ship-1"
		h.Tasks[id], h.Fates = t, map[string]proto.Fate{id: f}
	})
	if err := h.Conn.Call(h.t.Context(), proto.MethodTasks, proto.TaskUpdate{Tasks: []tasks.Task{t}}, nil); err != nil {
		h.t.Fatal(err)
	}
}

// ClaimedOnce keeps tasks from being ready again.
func (h *Helm) ClaimedOnce(ids ...string) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	h.once = map[string]bool{}
	for _, id := range ids {
		h.once[id] = true
	}
}

// UntilDone is the verdict of a helm whose tasks are to be done one by one.
func (h *Helm) UntilDone() proto.Verdict {
	for id, t := range h.Tasks {
		if t.Status == tasks.InProgress && t.Owner == "ship-0" {
			return proto.Verdict{Act: proto.ActContinue, Held: id}
		}
	}
	if id := h.ready(); id != "" {
		return proto.Verdict{Act: proto.ActClaim, Ready: []string{id}}
	}
	return proto.Verdict{Act: proto.ActRest, Why: "all is done"}
}

// Connect starts a serve for the ship and sends it the task list. It returns how
// to end that and wait for the end.
func (h *Helm) Connect(dir string) (end func() error) {
	h.t.Helper()
	toShip, fromHelm := io.Pipe()
	toHelm, fromShip := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- programs.Serve(context.Background(), dir, toShip, fromShip) }()
	conn := wire.New(&Pipes{toHelm, fromHelm}, wire.Options{Handlers: h.handlers()})
	end = sync.OnceValue(func() error {
		_ = conn.Close()
		err := <-done
		conn.Wait()
		return err
	})
	h.t.Cleanup(func() { _ = end() })
	eventually.Holds(h.t, "the ship's socket", func() bool {
		return shipdir.AskOnce(h.t.Context(), shipdir.Dir(dir), shipdir.MethodHeard, shipdir.Heard{}, nil) == nil
	})
	h.Mu.Lock()
	h.Conn = conn
	var all []tasks.Task
	for _, t := range h.Tasks {
		if h.Lags[t.ID] {
			t.Owner = ""
		}
		all = append(all, t)
	}
	h.Mu.Unlock()
	if err := conn.Call(h.t.Context(), proto.MethodTasks, proto.TaskUpdate{Full: true, Tasks: all}, nil); err != nil {
		h.t.Fatal(err)
	}
	return end
}
