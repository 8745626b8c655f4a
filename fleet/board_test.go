package fleet

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"testing"

	"ocaptain/fleet/summed"
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
		for _, indented := range []bool{true, false} {
			if !indented {
				writeBoard(t, d, b)
			} else if err := summed.Write(d.BoardFile(), &b, 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := LoadBoard(d); err != nil || !reflect.DeepEqual(got.Tasks, b.Tasks) || len(got.Orphans) != 1 {
				t.Errorf("read %+v, %v, want %+v", got.Tasks, err, b.Tasks)
			}
		}
	}
	b.Tasks[0].Subject = "},\n    {"
	b.Tasks[0].Extra = map[string]json.RawMessage{"parts": json.RawMessage("[{\n    },\n    {}\n  ]")}
	writeBoard(t, d, b)
	got, err := LoadBoard(d)
	if err != nil || len(got.Tasks) != len(b.Tasks) || got.Tasks[0].Subject != b.Tasks[0].Subject || string(got.Tasks[0].Extra["parts"]) != "[{},{}]" {
		t.Errorf("read %+v, %v", got.Tasks, err)
	}
	whole, err := os.ReadFile(d.BoardFile())
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) - 1 {
		if err := os.WriteFile(d.BoardFile(), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadBoard(d); !errors.Is(err, summed.ErrDamaged) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

func writeBoard(t *testing.T, d Dir, b Board) {
	t.Helper()
	text, err := b.Encode()
	if err == nil {
		err = summed.Write(d.BoardFile(), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// If the last board of a voyage was not written, its phase is that of its fleet.
func TestBoardOfAFleetThatIsSunk(t *testing.T) {
	d := Dir(t.TempDir())
	if err := summed.Write(d.BoardFile(), Board{Phase: Sinking, Ships: []ShipView{{}}}, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := LoadBoard(d); err != nil || b.Phase != Sinking || len(b.Ships) != 1 {
		t.Errorf("while it sinks: %+v, %v", b, err)
	}
	if err := summed.Write(d.FleetFile(), Fleet{Phase: Sunk}, 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := LoadBoard(d); err != nil || b.Phase != Sunk || len(b.Ships) != 0 {
		t.Errorf("once it is sunk: %+v, %v", b, err)
	}
}
