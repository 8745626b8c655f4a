package cli

import (
	"testing"
	"time"
)

func TestMomentOf(t *testing.T) {
	now := time.Date(2026, 1, 31, 14, 5, 30, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"10m": now.Add(-10 * time.Minute), "0s": now, "14:05": now.Add(-30 * time.Second), "09:00:01": time.Date(2026, 1, 31, 9, 0, 1, 0, time.UTC),
		"2026-01-30T00:00:00Z": time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC),
	} {
		if got, ok := momentOf(text, now); !ok || !got.Equal(want) {
			t.Errorf("%s is %s, %t, want %s", text, got, ok, want)
		}
	}
	for _, bad := range []string{"", "-10m", "25:00", "yesterday", "10"} {
		if got, ok := momentOf(bad, now); ok {
			t.Errorf("%q is %s", bad, got)
		}
	}
}
