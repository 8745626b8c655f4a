package aboardtest

import (
	"context"
	"io"
	"sync"
	"testing"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/standin"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// Helm is a stand-in for helm that a test connects to its ship.
type Helm struct {
	*standin.Helm
	t    *testing.T
	Lags map[string]bool // tasks that the ship's list shows as free although another ship holds them
	Conn *wire.Conn
}

// NewHelm returns a helm with these tasks that is not connected to a ship.
func NewHelm(t *testing.T, list ...tasks.Task) *Helm {
	return &Helm{Helm: standin.New(list...), t: t}
}

// Lag gives a task to another ship, but does not tell this ship.
func (h *Helm) Lag(id, owner string) {
	h.Lags = map[string]bool{id: true}
	t := h.Tasks[id]
	t.Owner = owner
	h.Tasks[id] = t
}

// TakeBack requeues a task that the ship holds, and gives it to another ship.
func (h *Helm) TakeBack(id string, f proto.Fate) {
	h.t.Helper()
	var t tasks.Task
	h.Change(func() {
		t = h.Tasks[id]
		t.Owner = standin.Other
		h.Tasks[id], h.Fates = t, map[string]proto.Fate{id: f}
	})
	if err := h.Conn.Call(h.t.Context(), proto.MethodTasks, proto.TaskUpdate{Tasks: []tasks.Task{t}}, nil); err != nil {
		h.t.Fatal(err)
	}
}

// ClaimedOnce keeps tasks from becoming ready again.
func (h *Helm) ClaimedOnce(ids ...string) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	h.Once = map[string]bool{}
	for _, id := range ids {
		h.Once[id] = true
	}
}

// UntilDone returns the verdict of a helm that lets the ship do its tasks one by one.
func (h *Helm) UntilDone() proto.Verdict {
	for id, t := range h.Tasks {
		if t.Status == tasks.InProgress && t.Owner == standin.Ship {
			return proto.Verdict{Act: proto.ActContinue, Held: id}
		}
	}
	if id := h.Ready(); id != "" {
		return proto.Verdict{Act: proto.ActClaim, Ready: []string{id}}
	}
	return proto.Verdict{Act: proto.ActRest, Why: "all is done"}
}

// Connect starts a serve for the ship and sends it the task list. end ends the serve and waits for it.
func (h *Helm) Connect(dir string) (end func() error) {
	h.t.Helper()
	toShip, fromHelm := io.Pipe()
	toHelm, fromShip := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- programs.Serve(context.Background(), dir, toShip, fromShip) }()
	conn := wire.New(&Pipes{toHelm, fromHelm}, wire.Options{Handlers: h.Handlers()})
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
