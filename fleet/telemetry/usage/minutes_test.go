package usage

import (
	"slices"
	"testing"
	"time"

	"ocaptain/fleet/telemetry/usage/usagetest"
)

// TestMinutes counts tokens by minute, also after saving and loading, and drops old minutes.
func TestMinutes(t *testing.T) {
	var s Sums
	for _, at := range []int{5, 59, 61, 200} {
		addMetrics(&s, ship1, usagetest.Sample{Start: at - 1, At: at, Value: 10})
	}
	addMetrics(&s, ship1, usagetest.Sample{At: 61, Value: 10, Metric: "claude_code.lines_of_code.count", Kind: "added"})
	for _, s := range []*Sums{&s, saveAndRead(t, &s)} {
		if got := s.Minutes("ship-1", time.Unix(usagetest.Hour+240, 0), 5); !slices.Equal(got, []int64{0, 20, 10, 0, 10}) {
			t.Errorf("minutes %v", got)
		}
		if got := s.Ships(); !slices.Equal(got, []string{"ship-1"}) {
			t.Errorf("ships %q", got)
		}
		if got := s.Minutes("none", time.Unix(usagetest.Hour, 0), 2); !slices.Equal(got, []int64{0, 0}) {
			t.Errorf("of no ship %v", got)
		}
	}
	for i := range 3 * maxMinutes {
		addMetrics(&s, ship1, usagetest.Sample{Start: 300 + 60*i, At: 301 + 60*i, Value: 1})
	}
	if n := len(s.ships["ship-1"].minutes); n > maxMinutes {
		t.Errorf("%d minutes are kept", n)
	}
}
