package fleet

import (
	"testing"
	"time"
)

func TestPaused(t *testing.T) {
	noon := time.Date(2026, 11, 28, 12, 0, 0, 0, time.Local)
	for name, tt := range map[string]struct {
		pause  *Pause
		budget Budget
		want   string
	}{
		"nothing":                  {nil, Budget{Spent: 5}, ""},
		"a pause":                  {&Pause{Since: noon}, Budget{}, "paused by you"},
		"a pause with an end":      {&Pause{Since: noon, Until: noon.Add(time.Hour)}, Budget{}, "paused by you until 2026-11-28 13:00"},
		"a pause that is over":     {&Pause{Since: noon, Until: noon}, Budget{}, ""},
		"a budget":                 {nil, Budget{Max: 20, Spent: 19.99}, ""},
		"a budget that is reached": {nil, Budget{Max: 20, Spent: 20}, "paused, as its budget is spent: $20.00 of $20.00"},
		"both":                     {&Pause{Since: noon}, Budget{Max: 1, Spent: 2}, "paused by you; paused, as its budget is spent: $2.00 of $1.00"},
	} {
		if got := Paused(noon, tt.pause, tt.budget); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestPausedSince(t *testing.T) {
	noon := time.Date(2026, 11, 28, 12, 0, 0, 0, time.Local)
	early, late := noon.Add(-2*time.Hour), noon.Add(-time.Hour)
	spent := Budget{Max: 1, Spent: 2, Full: early}
	for name, tt := range map[string]struct {
		pause  *Pause
		budget Budget
		want   time.Time
	}{
		"nothing":          {nil, Budget{}, time.Time{}},
		"a pause":          {&Pause{Since: late}, Budget{}, late},
		"a pause is over":  {&Pause{Since: early, Until: late}, Budget{}, time.Time{}},
		"a spent budget":   {nil, spent, early},
		"a budget is left": {nil, Budget{Max: 3, Spent: 2, Full: early}, time.Time{}},
		"both":             {&Pause{Since: late}, spent, early},
	} {
		if got := (&Board{Pause: tt.pause, Budget: tt.budget}).PausedSince(noon); !got.Equal(tt.want) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
