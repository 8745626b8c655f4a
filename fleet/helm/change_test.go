package helm

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// A change of a voyage that is closed fails, and fleet.json stays as it is.
func TestClosedVoyageWritesNothing(t *testing.T) {
	t.Parallel()
	_, d, v, _ := stoppedVoyage(t)
	if err := v.change(func(f *fleet.Fleet) { f.Next = 7 }); err != nil {
		t.Fatal(err)
	}
	v.close()
	if err := v.change(func(f *fleet.Fleet) { f.Next = 1 }); err == nil {
		t.Error("change returns no error")
	}
	if f, err := fleet.LoadFleet(d); err != nil || f.Next != 7 {
		t.Errorf("fleet.json has %+v, %v", f, err)
	}
}

// While a write of fleet.json hangs, ships claim tasks and the board can be read. Changes return when the file has them, and not before.
func TestDiskStandsStill(t *testing.T) {
	t.Parallel()
	_, d, v, _ := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	g, err := v.store.Claim(t.Context(), "ship-0", "1")
	if err != nil {
		t.Fatal(err)
	}
	v.checkouts["1"] = g.Epoch
	v.files.mu.Lock() // as who writes a file holds it
	kept := make(chan error, 2)
	for range 2 {
		go func() { kept <- v.change(func(f *fleet.Fleet) { f.Next++ }) }()
	}
	eventually.Holds(t, "both changes", when(v, func() bool { return v.fleet.Next == 2 }))
	if got, err := s.grantClaim(t.Context(), proto.ClaimRequest{}); err != nil || !got.Again {
		t.Errorf("it claims: %+v, %v", got, err)
	}
	if v.currentBoard(); len(kept) > 0 {
		t.Errorf("%d changes are kept", len(kept))
	}
	v.files.mu.Unlock()
	for range 2 {
		if err := eventually.Receives(t, "the changes", kept); err != nil {
			t.Error(err)
		}
	}
	f, err := fleet.LoadFleet(d)
	if err != nil || f.Next != 2 || !v.isSaved() {
		t.Errorf("fleet.json has %+v, %v", f, err)
	}
}
