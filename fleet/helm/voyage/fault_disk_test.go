package voyage

import (
	"testing"

	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/proto"
)

// asksInVain has a ship ask for a task, and for its task to be accepted. Both times it has to ask again.
func asksInVain(t *testing.T, v *Voyage, ship string) {
	t.Helper()
	s, err := v.ShipNamed(ship)
	if err != nil {
		t.Fatal(err)
	}
	if g, err := s.grantClaim(t.Context(), proto.ClaimRequest{}); !blame.IsAway(err) {
		t.Errorf("%s asks for a task: %+v, %v", ship, g, err)
	}
	acceptedInVain(t, s)
}

// acceptedInVain has a ship ask for its task to be accepted. It is told to ask again.
func acceptedInVain(t *testing.T, s *Ship) {
	t.Helper()
	has := s.v.Store.Snapshot().Held(s.Name)
	if has == nil {
		return
	}
	if c, err := s.v.Requests.Complete(t.Context(), s.Ship, completion(has)); !blame.IsAway(err) {
		t.Errorf("%s asks for task %s to be accepted: %+v, %v", s.Name, has.ID, c, err)
	}
}

// writesAgain fails the test when the voyage does not come to its end by itself once the hub's disk takes what is written: all
// accepted, nothing claimed twice, and the captain told.
func writesAgain(t *testing.T, v *Voyage) {
	t.Helper()
	accepted(t, v)
	if b := v.Board(); !b.Disk.IsNone() {
		t.Errorf("it cannot write: %q", b.Disk.Why)
	}
	v.tells(t, "can write again")
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Epoch > 1 {
			t.Errorf("task %s was claimed %d times", s.ID, s.Epoch)
		}
	}
}
