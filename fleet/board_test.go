package fleet

import "testing"

// If the last board of a voyage was not written, its phase is that of its fleet.
func TestBoardOfAFleetThatIsSunk(t *testing.T) {
	d := Dir(t.TempDir())
	if err := Save(d.BoardFile(), Board{Phase: Sinking, Ships: []ShipView{{}}}, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := LoadBoard(d); err != nil || b.Phase != Sinking || len(b.Ships) != 1 {
		t.Errorf("while it sinks: %+v, %v", b, err)
	}
	if err := Save(d.FleetFile(), Fleet{Phase: Sunk}, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := LoadBoard(d); err != nil || b.Phase != Sunk || len(b.Ships) != 0 {
		t.Errorf("once it is sunk: %+v, %v", b, err)
	}
}
