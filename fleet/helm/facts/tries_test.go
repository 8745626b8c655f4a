package facts

import (
	"testing"
	"time"
)

func TestPauseAfter(t *testing.T) {
	t.Parallel()
	for tries, want := range []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		low, high := PauseAfter(tries, 0), PauseAfter(tries, 1)
		if got := PauseAfter(tries, 0.5); got != want || low >= want || high <= want || high > 2*want {
			t.Errorf("after %d tries: %s to %s, about %s", tries, low, high, got)
		}
	}
	if PauseAfter(1<<40, 0.5) != mostPause || PauseAfter(-1, 0.5) != firstPause {
		t.Error("odd counts")
	}
}
