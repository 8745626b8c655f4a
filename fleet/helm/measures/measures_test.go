package measures

import (
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore/dirstoretest"
)

// TestHoldings checks which task a ship held at which time.
func TestHoldings(t *testing.T) {
	d := fleet.Dir(t.TempDir())
	store := dirstoretest.Open(t, d.Events(), d.TasksDir())
	if _, err := store.Add(t.Context(), []tasks.Task{{ID: "1", Subject: "one"}, {ID: "2", Subject: "two"}}); err != nil {
		t.Fatal(err)
	}
	m := New(Options{Dir: d})
	var at []time.Time
	tick := func() { at = append(at, time.Now()); time.Sleep(2 * time.Millisecond) }
	tick()
	claim := func(id string) uint64 {
		g, err := store.Claim(t.Context(), "ship-0", id)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
		tick()
		return g.Epoch
	}
	first := claim("1")
	if err := store.Complete(t.Context(), tasks.Completion{Task: "1", Owner: "ship-0", Epoch: first, Empty: true}); err != nil {
		t.Fatal(err)
	}
	tick()
	claim("2")
	if err := store.Requeue(t.Context(), tasks.Requeue{Task: "2"}); err != nil {
		t.Fatal(err)
	}
	tick()
	claim("2")
	if err := m.readHoldings(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "1", "", "2", "", "2"} {
		if got := m.holder("ship-0", at[i]); got != want {
			t.Errorf("at %d it held %q, want %q", i, got, want)
		}
		if got := m.holder("ship-1", at[i]); got != "" {
			t.Errorf("another held %q", got)
		}
	}
}
