package copies

import (
	"testing"
	"time"
)

func TestIsFresh(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		age  time.Duration
		want bool
	}{
		"claimed just now":              {0, true},
		"a second ago":                  {time.Second, true},
		"long enough ago":               {often, false},
		"before the clock was set back": {-time.Hour, false},
	} {
		if got := isFresh(now, now.Add(-c.age)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
