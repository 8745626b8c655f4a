package telemetry

import (
	"slices"
	"testing"
	"time"
)

// TestMinutes counts tokens by minute, also after they were written and read, and forgets old ones.
func TestMinutes(t *testing.T) {
	var s Sums
	for _, at := range []int{5, 59, 61, 200} {
		s.add(metricsOf(ship1, sample{start: at - 1, at: at, value: 10}))
	}
	s.add(metricsOf(ship1, sample{at: 61, value: 10, metric: "claude_code.lines_of_code.count", kind: "added"}))
	for _, s := range []*Sums{&s, saveAndRead(t, &s)} {
		if got := s.Minutes("ship-1", time.Unix(hour+240, 0), 5); !slices.Equal(got, []int64{0, 20, 10, 0, 10}) {
			t.Errorf("minutes %v", got)
		}
		if got := s.Ships(); !slices.Equal(got, []string{"ship-1"}) {
			t.Errorf("ships %q", got)
		}
		if got := s.Minutes("none", time.Unix(hour, 0), 2); !slices.Equal(got, []int64{0, 0}) {
			t.Errorf("of no ship %v", got)
		}
	}
	for i := range 3 * mostMinutes {
		s.add(metricsOf(ship1, sample{start: 300 + 60*i, at: 301 + 60*i, value: 1}))
	}
	if n := len(s.ships["ship-1"].minutes); n > mostMinutes {
		t.Errorf("%d minutes are kept", n)
	}
}
