// Package standin answers a ship as helm does, from a task list in memory: for the trial of an agent
// and for tests of a ship.
package standin

import (
	"context"
	"encoding/json"
	"sync"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// The names of the ship that a Helm answers, and of another ship of its voyage.
const (
	Ship  = "ship-0"
	Other = "ship-1"
)

// Helm answers one ship. Mu guards its fields; use Change to change a field that an answer depends on.
type Helm struct {
	Mu       sync.Mutex
	Tasks    map[string]tasks.Task
	Events   []proto.Event
	Pulses   []proto.Pulse
	Releases []proto.ReleaseRequest
	Asked    []string                          // ids of the tasks that the ship asked for
	Claimed  map[string]int                    // number of grants, by task
	Once     map[string]bool                   // tasks that are not ready again after a release
	HandedIn map[string]bool                   // tasks of the ship that are in review
	Fates    map[string]proto.Fate             // what became of claims that have ended
	From     func(proto.Hello) int64           // the offset in the journal to continue from; 0 when nil
	Complete func(proto.CompleteRequest) error // may return an error to refuse a completion; called without Mu
	Verdict  func() proto.Verdict              // what the ship has to do next; an empty Act makes the ship wait for the next change; called with Mu held
	changed  chan struct{}
}

// New returns a Helm with these tasks. A task without a status is pending.
func New(list ...tasks.Task) *Helm {
	h := &Helm{Tasks: map[string]tasks.Task{}, Claimed: map[string]int{}, changed: make(chan struct{})}
	for _, t := range list {
		if t.Status == "" {
			t.Status = tasks.Pending
		}
		h.Tasks[t.ID] = t
	}
	return h
}

// Change runs fn with Mu held, and wakes the requests that wait for a change.
func (h *Helm) Change(fn func()) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	fn()
	close(h.changed)
	h.changed = make(chan struct{})
}

// Status returns the status of a task.
func (h *Helm) Status(id string) tasks.Status {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	return h.Tasks[id].Status
}

// Ready returns the first task that can be claimed, "" for none. The caller holds Mu.
func (h *Helm) Ready() string {
	best := ""
	for id, t := range h.Tasks {
		if h.Once[id] && h.Claimed[id] > 0 {
			continue
		}
		if t.Status == tasks.Pending && t.Owner == "" && (best == "" || tasks.CompareIDs(id, best) < 0) {
			best = id
		}
	}
	return best
}

// Told returns the data of all events of this kind that the ship has sent.
func Told[T any](h *Helm, kind string) []T {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	var all []T
	for _, e := range h.Events {
		var v T
		if e.Kind == kind && json.Unmarshal(e.Data, &v) == nil {
			all = append(all, v)
		}
	}
	return all
}

// Handlers returns the handlers for a ship's requests.
func (h *Helm) Handlers() wire.Handlers {
	return wire.Handlers{
		proto.MethodHello: wire.Handle(h.hello),
		proto.MethodEvents: wire.Handle(func(_ context.Context, e proto.Events) (any, error) {
			h.Change(func() { h.Events = append(h.Events, e.Events...) })
			return nil, nil
		}),
		proto.MethodPulse: wire.Handle(func(_ context.Context, p proto.Pulse) (any, error) {
			h.Change(func() { h.Pulses = append(h.Pulses, p) })
			return nil, nil
		}),
		proto.MethodClaim:    wire.Handle(h.claim),
		proto.MethodComplete: wire.Handle(h.complete),
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
		proto.MethodWait: wire.Handle(h.wait),
	}
}

func (h *Helm) hello(_ context.Context, hello proto.Hello) (proto.Welcome, error) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	if h.From != nil {
		return proto.Welcome{From: h.From(hello)}, nil
	}
	return proto.Welcome{}, nil
}

func (h *Helm) claim(_ context.Context, r proto.ClaimRequest) (g proto.Grant, err error) {
	h.Change(func() {
		if r.Task == "" {
			r.Task = h.Ready()
		}
		h.Asked = append(h.Asked, r.Task)
		t, ok := h.Tasks[r.Task]
		switch {
		case !ok:
			err = &tasks.Refusal{Why: tasks.Unknown, Task: r.Task}
		case t.Status == tasks.Completed:
			err = &tasks.Refusal{Why: tasks.Done, Task: r.Task}
		case t.Owner != "" && t.Owner != Ship:
			err = &tasks.Refusal{Why: tasks.Taken, Task: r.Task, Owner: t.Owner, Ready: []string{"7"}}
		default:
			h.Claimed[t.ID]++
			t.Status, t.Owner = tasks.InProgress, Ship
			h.Tasks[t.ID] = t
			g = proto.Grant{Task: t, Epoch: 1, Commit: "c0ffee"}
		}
	})
	return g, err
}

func (h *Helm) complete(_ context.Context, r proto.CompleteRequest) (proto.Completed, error) {
	h.Mu.Lock()
	check, handedIn := h.Complete, h.HandedIn[r.Task]
	t, ok := h.Tasks[r.Task]
	h.Mu.Unlock()
	switch {
	case !ok:
		return proto.Completed{}, &tasks.Refusal{Why: tasks.Unknown, Task: r.Task}
	case handedIn:
		return proto.Completed{Commit: "c0ffee", Open: true, Review: true}, nil
	case t.Owner != "" && t.Owner != Ship:
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

func (h *Helm) wait(ctx context.Context, _ proto.WaitRequest) (proto.Verdict, error) {
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
}
