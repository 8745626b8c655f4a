package voyage

import (
	"testing"
	"time"

	"ocaptain/fleet/helm/facts"
)

// Who looks at the board changes nothing of what helm knows of ships.
func TestBoardChangesNothing(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	is := func() facts.Idle { return s.idle }
	before := reads(v, is)
	v.Board()
	if got := reads(v, is); got != before {
		t.Errorf("it is idle since %+v", got)
	}
	v.noteIdle(time.Now())
	if reads(v, is).Free.IsZero() {
		t.Error("nothing notes that it is free")
	}
}
