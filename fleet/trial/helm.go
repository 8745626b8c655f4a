package trial

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// ship is the name of the ship that is tried, and other of one that there is not.
const (
	ship  = "ship-0"
	other = "ship-1"
)

// helm answers the ship as helm does, as the trial goes.
type helm struct {
	mu      sync.Mutex
	tasks   map[string]tasks.Task
	events  []proto.Event
	claims  []string // tasks that were asked for
	vetoes  map[string]string
	vetoed  []string
	rests   bool // nothing is to be done, whatever there is
	changed chan struct{}
}

func newHelm(list ...tasks.Task) *helm {
	h := &helm{tasks: map[string]tasks.Task{}, vetoes: map[string]string{}, changed: make(chan struct{})}
	for _, t := range list {
		h.tasks[t.ID] = t
	}
	return h
}

// change runs fn under the lock and wakes who waits.
func (h *helm) change(fn func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fn()
	close(h.changed)
	h.changed = make(chan struct{})
}

// read runs fn under the lock.
func (h *helm) read(fn func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fn()
}

func (h *helm) handlers() wire.Handlers {
	return wire.Handlers{
		proto.MethodHello: wire.Handle(func(context.Context, proto.Hello) (proto.Welcome, error) { return proto.Welcome{}, nil }),
		proto.MethodEvents: wire.Handle(func(_ context.Context, e proto.Events) (any, error) {
			h.change(func() { h.events = append(h.events, e.Events...) })
			return nil, nil
		}),
		proto.MethodPulse:    wire.Handle(func(context.Context, proto.Pulse) (any, error) { return nil, nil }),
		proto.MethodClaim:    wire.Handle(h.claim),
		proto.MethodComplete: wire.Handle(h.complete),
		proto.MethodFate: wire.Handle(func(context.Context, proto.Claim) (proto.Fate, error) {
			return proto.Fate{Held: true}, nil
		}),
		proto.MethodRelease: wire.Handle(func(_ context.Context, r proto.ReleaseRequest) (any, error) {
			h.change(func() {
				t := h.tasks[r.Task]
				t.Status, t.Owner = tasks.Pending, ""
				h.tasks[r.Task] = t
			})
			return nil, nil
		}),
		proto.MethodWait: wire.Handle(h.wait),
	}
}

func (h *helm) claim(_ context.Context, r proto.ClaimRequest) (g proto.Grant, err error) {
	h.change(func() {
		if ready := h.ready(); r.Task == "" && len(ready) > 0 {
			r.Task = ready[0]
		}
		h.claims = append(h.claims, r.Task)
		t, ok := h.tasks[r.Task]
		switch {
		case !ok:
			err = &tasks.Refusal{Why: tasks.Unknown, Task: r.Task}
		case t.Owner == other:
			err = &tasks.Refusal{Why: tasks.Taken, Task: r.Task, Owner: other}
		default:
			t.Status, t.Owner = tasks.InProgress, ship
			h.tasks[t.ID] = t
			g = proto.Grant{Task: t, Epoch: 1, Commit: "c0ffee"}
		}
	})
	return g, err
}

func (h *helm) complete(_ context.Context, r proto.CompleteRequest) (c proto.Completed, err error) {
	h.change(func() {
		if why := h.vetoes[r.Task]; why != "" {
			delete(h.vetoes, r.Task)
			h.vetoed = append(h.vetoed, r.Task)
			err = &wire.Error{Code: proto.CodeConflict, Text: why}
			return
		}
		t := h.tasks[r.Task]
		t.Status = tasks.Completed
		h.tasks[r.Task] = t
		c = proto.Completed{Commit: "c0ffee", Changed: 1}
	})
	return c, err
}

// wait answers when there is something to do, or rest.
func (h *helm) wait(ctx context.Context, _ proto.WaitRequest) (proto.Verdict, error) {
	for {
		var v proto.Verdict
		var changed chan struct{}
		h.read(func() { v, changed = h.verdict(), h.changed })
		if v.Act != "" {
			return v, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return proto.Verdict{}, ctx.Err()
		}
	}
}

// verdict is what the agent should do now. The caller holds mu.
func (h *helm) verdict() proto.Verdict {
	if h.rests {
		return proto.Verdict{Act: proto.ActRest, Why: "the trial says so"}
	}
	ready := h.ready()
	if len(ready) == 0 {
		return proto.Verdict{}
	}
	return proto.Verdict{Act: proto.ActClaim, Ready: ready[:1]}
}

// ready are the tasks that can be claimed. The caller holds mu.
func (h *helm) ready() (ids []string) {
	for id, t := range h.tasks {
		if t.Status == tasks.Pending && t.Owner == "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// status is how a task stands.
func (h *helm) status(id string) (s tasks.Status) {
	h.read(func() { s = h.tasks[id].Status })
	return s
}

// asked reports whether a task was asked for.
func (h *helm) asked(id string) (was bool) {
	h.read(func() { was = slices.Contains(h.claims, id) })
	return was
}

// told returns the data of the ship's events of a kind.
func told[T any](h *helm, kind string) []T {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []T
	for _, e := range h.events {
		var v T
		if e.Kind == kind && json.Unmarshal(e.Data, &v) == nil {
			all = append(all, v)
		}
	}
	return all
}
