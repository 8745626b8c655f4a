package voyage

import (
	"testing"
	"time"
)

// What happened on a ship is told by the hub's clock, whatever the ship's says.
func TestHubTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	before := func(d time.Duration) time.Time { return now.Add(-d) }
	for _, tt := range []struct{ sent, at, want time.Time }{
		{now, before(time.Hour), before(time.Hour)},                                                  // told late
		{before(time.Second), before(time.Minute), before(time.Minute)},                              // on its way for a second
		{now.Add(26 * time.Hour), now.Add(25 * time.Hour), before(time.Hour)},                        // a clock that is ahead
		{before(26 * time.Hour), before(27 * time.Hour), before(time.Hour)},                          // a clock that is behind
		{now, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), now},                                      // a lie
		{time.Time{}, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), now},                              // and nothing to judge it by
		{time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), now}, // a worse one
	} {
		if got := hubTime(now, tt.sent, tt.at); !got.Equal(tt.want) {
			t.Errorf("%s, sent at %s: %s, want %s", tt.at, tt.sent, got, tt.want)
		}
	}
}
