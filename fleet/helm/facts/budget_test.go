package facts

import (
	"testing"
	"time"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	b := Budget{Burst: 100, Rate: 10, Most: time.Minute}
	now := time.Now()
	if wait, _ := b.Spend(now, 100); wait > 0 {
		t.Errorf("waits %s within its budget", wait)
	}
	if wait, _ := b.Spend(now, 50); wait != 5*time.Second {
		t.Errorf("waits %s for 50 bytes too many", wait)
	}
	if wait, _ := b.Spend(now.Add(-time.Hour), 0); wait != 5*time.Second {
		t.Errorf("waits %s when the clock was set back", wait)
	}
	if wait, _ := b.Spend(now.Add(15*time.Second), 0); wait > 0 {
		t.Errorf("waits %s after it did", wait)
	}
	if wait, _ := b.Spend(now, 1<<40); wait != time.Minute {
		t.Errorf("waits %s at once", wait)
	}
}
