package fleet

import (
	"testing"
	"time"
)

// Time in which helm could not see a ship does not make it idle; any sign of work ends its idle time.
func TestLooked(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	var s Ship
	for i, step := range []struct {
		is    Word
		acted bool
		idle  time.Duration
	}{
		{Idle, false, 5},
		{Waiting, false, 10},
		{Unreachable, false, 10},
		{Unknown, false, 10},
		{Done, false, 15},
		{Idle, true, 0},
		{Idle, false, 5},
		{Working, false, 0},
		{Exited, false, 5},
	} {
		s.Looked(now, 5, step.is, step.acted)
		if s.Idle != step.idle {
			t.Errorf("step %d: idle for %d, want %d", i, s.Idle, step.idle)
		}
	}
	if !s.Worked.Equal(now) {
		t.Errorf("worked at %s", s.Worked)
	}
}

func TestBill(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	g := Guards{Prices: map[string]float64{"sprites": 0.5}}
	f := &Fleet{Gone: map[string]time.Duration{"sprites": 2 * time.Hour, "hosts": 9 * time.Hour}, Ships: []*Ship{
		{Provider: "sprites", Phase: Afloat, Created: now.Add(-3 * time.Hour)},
		{Provider: "sprites", Phase: Failed, Created: now.Add(-3 * time.Hour)},
		{Provider: "local", Phase: Afloat, Created: now.Add(-3 * time.Hour)},
	}}
	if got, want := g.AddUp(now, f), (Bill{Hour: 0.5, SoFar: 2.5}); got != want {
		t.Errorf("%+v", got)
	}
	if got := (Guards{}).AddUp(now, f); got != (Bill{}) {
		t.Errorf("no price, and %+v", got)
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{8 * time.Hour: "8h", 90 * time.Minute: "1h30m", 30 * time.Minute: "30m", 10 * time.Second: "10s", 100 * time.Minute: "1h40m", time.Hour + 10*time.Second: "1h0m10s", 20 * time.Hour: "20h"} {
		if got := FormatSpan(d); got != want {
			t.Errorf("%s: %s", got, want)
		}
	}
}
