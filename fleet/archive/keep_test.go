package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/fleet"
)

func TestExcess(t *testing.T) {
	now := time.Now()
	old := now.Add(-48 * time.Hour)
	past := []Past{{"a", 5, old}, {"b", 5, old}, {"new", 50, now}, {"c", 5, old}}
	for most, want := range map[int64]int{100: 0, 65: 0, 64: 1, 59: 2, 1: 3} {
		if is := Excess(past, most, now); len(is) != want || want == 2 && (is[0] != "a" || is[1] != "b") {
			t.Errorf("of %d bytes go %v", most, is)
		}
	}
}

// An archive is written atomically, is never overwritten, and is listed with its voyage.
func TestWriteFile(t *testing.T) {
	all := fleet.Voyages(t.TempDir())
	d := voyage(t, all)
	if err := os.Mkdir(all.Archives(), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(all.Archives(), Name(d))
	size, err := WriteFile(t.Context(), d, file)
	if err != nil || size == 0 {
		t.Fatal(size, err)
	}
	if _, err := WriteFile(t.Context(), d, file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("written over: %v", err)
	}
	for _, name := range []string{"voyage-000000000000.tar.gz", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(all.Archives(), name), []byte("no archive"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept := List(all)
	if len(kept) != 1 || kept[0].Voyage.Name != "auth" || kept[0].Size != size || kept[0].File != file {
		t.Errorf("%+v", kept)
	}
	if dirs, err := all.List(); err != nil || len(dirs) != 1 {
		t.Errorf("voyages are %v, %v", dirs, err)
	}
	if left, err := filepath.Glob(filepath.Join(all.Archives(), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
