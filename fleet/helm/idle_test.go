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
	before := s.idle
	v.currentBoard()
	if v.mu.Lock(); s.idle != before {
		t.Errorf("it is idle since %+v", s.idle)
	}
	v.mu.Unlock()
	v.noteIdle(time.Now())
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.idle.free.IsZero() {
		t.Error("nothing notes that it is free")
	}
}
