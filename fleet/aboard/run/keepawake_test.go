package run

import (
	"context"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// TestStayAwake checks that the runner keeps the machine awake while the agent works, and not while the agent waits
// or after it has ended.
func TestStayAwake(t *testing.T) {
	heard := make(chan string, 100)
	keep := func(_ context.Context, name string, long time.Duration) error {
		heard <- name + " " + long.String()
		return nil
	}
	next := func(want string) {
		t.Helper()
		for end := eventually.Context(t).Done(); ; {
			select {
			case got := <-heard:
				if got == want {
					return
				}
			case <-end:
				t.Fatalf("%q was not asked for", want)
			}
		}
	}
	const (
		hold   = "ocaptain-agent 5m0s"
		letGo  = "ocaptain-agent 0s"
		window = "@1 "
	)
	h := shipdir.Dir(t.TempDir())
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	book, err := shipdir.OpenJournal(h)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	r := &runner{home: h, book: book}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.stayAwake(ctx, keep, 5*time.Millisecond) }()
	next(hold) // the agent's state is unknown
	for _, step := range []struct {
		state proto.State
		want  string
	}{{proto.StateWorking, hold}, {proto.StateIdle, letGo}, {proto.StateWorking, hold}, {proto.StateResting, letGo}, {proto.StateWorking, hold}} {
		if err := shipdir.WriteFile(h.Window(), window+shipdir.WindowName(step.state)+"\n"); err != nil {
			t.Fatal(err)
		}
		next(step.want)
	}
	cancel()
	next(letGo)
	<-done
	r.stayAwake(t.Context(), nil, time.Hour) // machines that are never paused: it returns at once
}

// TestLonelyAgentWaits lets an agent ask helm, which is away. The agent's window soon says that it waits, so that its
// machine may be paused. When the agent stops asking, the window says that it works.
func TestLonelyAgentWaits(t *testing.T) {
	dir := aboardtest.NewShip(t, nil)
	w := aboardtest.NewWindow(t, dir)
	w.Must("new-session", "-d", "-s", "claude", "sleep", "600")
	r := shipdir.Running{Socket: w.Must("display-message", "-p", "#{socket_path}"), Window: w.Must("display-message", "-p", "#{window_id}")}
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Run(), r); err != nil {
		t.Fatal(err)
	}
	shipdir.NameWindow(t.Context(), shipdir.Dir(dir), proto.StateWorking)
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan error)
	go func() {
		answer <- shipdir.Ask(ctx, shipdir.Dir(dir), proto.MethodComplete, proto.CompleteRequest{Claim: proto.Claim{Task: "1"}}, nil)
	}()
	eventually.Holds(t, "a window that says that the agent waits", func() bool { return shipdir.WindowNamed(shipdir.Dir(dir), proto.StateIdle) })
	cancel()
	if err := <-answer; err == nil {
		t.Error("there was an answer")
	}
	if name := w.Name(); name != shipdir.WindowName(proto.StateWorking) || !shipdir.WindowNamed(shipdir.Dir(dir), proto.StateWorking) {
		t.Errorf("afterwards it is called %s", name)
	}
}
