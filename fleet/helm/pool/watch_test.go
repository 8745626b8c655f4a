package pool

import (
	"testing"
	"time"
)

func TestIsDue(t *testing.T) {
	const every = 30 * time.Minute
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, tt := range map[string]struct {
		w     Work
		every time.Duration
		want  bool
	}{
		"not before its time":   {Work{Since: ago(every - time.Second)}, every, false},
		"at its time":           {Work{Since: ago(every)}, every, true},
		"not twice":             {Work{Since: ago(every + time.Minute), Nudged: ago(time.Minute), Nudges: 1}, every, false},
		"again after as long":   {Work{Since: ago(2 * every), Nudged: ago(every), Nudges: 1}, every, true},
		"told before it worked": {Work{Since: ago(time.Minute), Nudged: ago(time.Hour)}, every, false},
		"it does not work":      {Work{}, every, false},
		"nobody wants it":       {Work{Since: ago(time.Hour)}, 0, false},
	} {
		if is := tt.w.IsDue(now, tt.every); is != tt.want {
			t.Errorf("%s: %t", name, is)
		}
	}
}
