package helm

import (
	"testing"
	"time"
)

func TestIdle(t *testing.T) {
	now := time.Unix(1e9, 0)
	var is idle
	for i, c := range []struct {
		after           time.Duration
		holds, neglects bool
		want            idle
	}{
		{0, true, false, idle{}},
		{time.Second, false, false, idle{free: now.Add(time.Second)}},
		{time.Minute, false, true, idle{now.Add(time.Second), now.Add(time.Minute)}},
		{time.Hour, false, true, idle{now.Add(time.Second), now.Add(time.Minute)}},
		{2 * time.Hour, true, false, idle{}},
		{3 * time.Hour, false, true, idle{now.Add(3 * time.Hour), now.Add(3 * time.Hour)}},
	} {
		if is = is.next(now.Add(c.after), c.holds, c.neglects); is != c.want {
			t.Errorf("%d: %+v, want %+v", i, is, c.want)
		}
	}
}

// Who looks at the board changes nothing of what helm knows of ships.
func TestBoardChangesNothing(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	is := func() idle { return s.idle }
	before := reads(v, is)
	v.currentBoard()
	if got := reads(v, is); got != before {
		t.Errorf("it is idle since %+v", got)
	}
	v.noteIdle(time.Now())
	if reads(v, is).free.IsZero() {
		t.Error("nothing notes that it is free")
	}
}
