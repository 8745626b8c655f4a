package ledger

import (
	"testing"
	"time"

	"ocaptain/tasks"
)

// A delay set by a wrong clock is over once the clock is right again.
func TestDelayByAWrongClock(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	wrong := now.Add(26 * time.Hour)
	l := newLedger()
	b, err := l.NewBatch([]tasks.Task{{ID: "1", Subject: "one"}, {ID: "2", Subject: "two"}})
	if err != nil {
		t.Fatal(err)
	}
	l.Insert(now, b)
	for _, id := range []string{"1", "2"} {
		at := map[string]time.Time{"1": wrong, "2": now}[id]
		_, c, err := l.Claim(at, "a", id, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.ApplyChange(at, c); err != nil {
			t.Fatal(err)
		}
		if c, err = l.Requeue(at, tasks.Requeue{Task: id, Delay: time.Minute}); err != nil {
			t.Fatal(err)
		}
		if err := l.ApplyChange(at, c); err != nil {
			t.Fatal(err)
		}
	}
	if _, c, err := l.Claim(now.Add(time.Second), "b", "1", false); err != nil || c == nil {
		t.Errorf("the one put back by the wrong clock: %v", err)
	}
	if e, _, err := l.Claim(now.Add(time.Second), "b", "", false); err != nil || e.State.ID != "1" {
		t.Errorf("of both: %v, %v", e, err)
	}
	if _, _, err := l.Claim(now.Add(time.Second), "b", "2", false); err == nil {
		t.Error("the other one can be claimed before its time")
	}
}
