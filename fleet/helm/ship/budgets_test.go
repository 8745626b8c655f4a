package ship

import (
	"testing"
	"time"
)

// A ship that asks or delivers without end has to wait, and no longer once it was quiet for a while.
func TestBudgets(t *testing.T) {
	for what, c := range map[int]struct {
		n     int64 // of one request
		times int   // that are free in the beginning
	}{
		Log: {1 << 20, 16}, Copies: {16 << 20, 32}, Requests: {1, 500}, Telemetry: {leastParcel, 4096},
	} {
		all, now := newBudgets(), time.Now()
		b := &all[what]
		for range c.times {
			if wait, _ := b.Spend(now, c.n); wait > 0 {
				t.Fatalf("%s: a ship waits %s in the beginning", b.What, wait)
			}
		}
		if wait, begins := b.Spend(now, 1<<40); wait != b.Most || !begins {
			t.Errorf("%s: it waits %s, want %s; begins: %t", b.What, wait, b.Most, begins)
		}
		if got, _ := all.Slowed(now); len(got) != 1 || got[0] != b.What {
			t.Errorf("%s: slowed is %q", b.What, got)
		}
	}
}
