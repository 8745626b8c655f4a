package silence_test

import (
	"testing"
	"time"

	"ocaptain/fleet/silence"
)

func TestLook(t *testing.T) {
	const wait = 5 * time.Second
	now := time.Now()
	count := silence.Start(now, 7)
	for i, look := range []struct {
		after time.Duration // by the wall clock
		heard int64
		want  time.Duration
		said  bool
	}{
		{wait, 8, 0, true},
		{wait, 8, wait, false},
		{wait + time.Second, 8, 2 * wait, false}, // a little late
		{wait, 8, 3 * wait, false},
		{wait, 9, 0, true},
		{wait, 9, wait, false},
		{wait, 9, 2 * wait, false},
		{8 * time.Hour, 9, 0, false}, // asleep: the silence before does not count either
		{wait, 9, wait, false},       // a silent end counts as silent again
		{wait, 9, 2 * wait, false},
		{-time.Hour, 9, 3 * wait, false}, // the clock was set back: a dead end does not count as alive
		{wait, 9, 4 * wait, false},
		{8 * time.Hour, 10, 0, true},
	} {
		now = now.Add(look.after)
		if got, said := count.SilentFor(now, wait, look.heard); got != look.want || said != look.said {
			t.Errorf("look %d: silent for %s, said %v; want %s, %v", i, got, said, look.want, look.said)
		}
	}
}
