package dirstore

import (
	"testing"
	"time"
)

// TestMayBeForgotten tells what a Redis may forget that is killed from what an older copy lacks.
func TestMayBeForgotten(t *testing.T) {
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		n    int
		span time.Duration
		want bool
	}{
		"few":                     {10, 0, true},
		"few in a quiet session":  {256, time.Hour, true},
		"more":                    {257, time.Hour, false},
		"two seconds of a crowd":  {5000, 2 * time.Second, true},
		"many over half a minute": {5000, 30 * time.Second, false},
	} {
		lost := make([]entry, c.n)
		for i := range lost {
			lost[i].At = begun.Add(c.span * time.Duration(i) / time.Duration(max(1, c.n-1)))
		}
		lost[0], lost[c.n/2] = lost[c.n/2], lost[0] // clocks of hubs differ
		if got := mayBeForgotten(lost); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
