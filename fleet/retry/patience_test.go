package retry_test

import (
	"testing"
	"time"

	"ocaptain/fleet/retry"
)

// TestPatience wakes a caller often during a pause: that does not make the pause longer.
func TestPatience(t *testing.T) {
	now := time.Now()
	p := retry.NewPatience(time.Second, time.Minute)
	within := func(got, least, most time.Duration) {
		t.Helper()
		if got < least || got > most {
			t.Errorf("waits %s, want %s to %s", got, least, most)
		}
	}
	first := p.Wait(now)
	within(first, 750*time.Millisecond, 1250*time.Millisecond)
	for i := range 20 {
		early := time.Duration(i) * 10 * time.Millisecond
		within(p.Wait(now.Add(early)), first-early, first-early)
	}
	now = now.Add(first)
	second := p.Wait(now)
	within(second, 1500*time.Millisecond, 2500*time.Millisecond)
	p.Reset()
	within(p.Wait(now), 750*time.Millisecond, 1250*time.Millisecond)
}
