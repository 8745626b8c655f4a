package fleet

import (
	"errors"
	"os"
	"reflect"
	"testing"

	"ocaptain/fleet/saved"
	"ocaptain/tasks"
)

// A board is read as it was written, and no board that was cut is read.
func TestBoard(t *testing.T) {
	d := testDir(t)
	b := Board{Phase: Sailing, Orphans: []string{"m"}, Tasks: []tasks.State{}}
	for _, id := range []string{"", "1", "2", "3"} {
		if id != "" {
			b.Tasks = append(b.Tasks, tasks.State{Task: tasks.Task{ID: id, Status: tasks.Pending, Blocks: []string{}, BlockedBy: []string{}}})
		}
		if err := saved.Write(d.BoardFile(), &b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := LoadBoard(d); err != nil || !reflect.DeepEqual(got.Tasks, b.Tasks) || len(got.Orphans) != 1 {
			t.Errorf("read %+v, %v, want %+v", got.Tasks, err, b.Tasks)
		}
	}
	whole, err := os.ReadFile(d.BoardFile())
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) - 1 {
		if err := os.WriteFile(d.BoardFile(), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadBoard(d); !errors.Is(err, saved.ErrDamaged) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

// If the last board of a voyage was not written, its phase is that of its fleet.
func TestBoardOfAFleetThatIsSunk(t *testing.T) {
	d := Dir(t.TempDir())
	if err := saved.Write(d.BoardFile(), Board{Phase: Sinking, Ships: []ShipView{{}}}, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := LoadBoard(d); err != nil || b.Phase != Sinking || len(b.Ships) != 1 {
		t.Errorf("while it sinks: %+v, %v", b, err)
	}
	if err := saved.Write(d.FleetFile(), Fleet{Phase: Sunk}, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := LoadBoard(d); err != nil || b.Phase != Sunk || len(b.Ships) != 0 {
		t.Errorf("once it is sunk: %+v, %v", b, err)
	}
}
