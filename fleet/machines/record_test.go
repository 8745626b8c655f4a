package machines

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	here  = ID{"local", "voyage-0123456789ab-ship0"}
	there = ID{"sprites", here.Name}
	late  = ID{"sprites", "voyage-0123456789ab-ship7"}
)

const voyage = "voyage-0123456789ab"

func put(t *testing.T, r *Records, all ...Record) {
	t.Helper()
	for _, one := range all {
		if err := r.Put(one); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "machines")
	r := Open(dir)
	all := func() []Record {
		t.Helper()
		all, err := Open(dir).All()
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := all(); len(got) > 0 {
		t.Fatalf("at first: %v", got)
	}
	asked := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	one, two := Record{ID: there, Voyage: voyage, Asked: asked}, Record{ID: here, Voyage: voyage, Asked: asked}
	put(t, r, one, two, one)
	if got := all(); !slices.Equal(got, []Record{two, one}) {
		t.Errorf("got %+v", got)
	}
	if info, err := os.Stat(r.File(there)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// A machine without a record may exist all the same.
	if err := r.unwant(late, "swept", nil); err != nil || !r.Has(late) {
		t.Errorf("it is not to be destroyed: %v", err)
	}
	// An incomplete file still names its machine.
	if err := os.WriteFile(r.File(there), []byte(`{"prov`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := all(); len(got) != 3 || got[1] != (Record{ID: there, Voyage: voyage}) || !got[2].Unwanted || got[2].Since.IsZero() {
		t.Errorf("got %+v", got)
	}
	for range 2 {
		for _, id := range []ID{here, there, late} {
			if _, err := r.gone(id, time.Time{}); err != nil {
				t.Error(err)
			}
		}
	}
	if got := all(); len(got) > 0 {
		t.Errorf("at last: %v", got)
	}
	for _, bad := range []string{"", "../x", "a/b", "-x", "X"} {
		if err := r.Put(Record{ID: ID{"local", bad}}); err == nil {
			t.Errorf("%q was recorded", bad)
		}
	}
}

// An unreadable record still counts as the record of a machine. If a record cannot be written, the error names the
// file.
func TestUnreadable(t *testing.T) {
	r := Open(t.TempDir())
	file := r.File(there)
	if err := os.Symlink(file, file); err != nil { // a link to itself cannot be read
		t.Fatal(err)
	}
	if err := r.unwant(there, "no answer", nil); err != nil {
		t.Error(err)
	}
	if got, is := r.Get(there); !is || !got.Unwanted || got.Voyage != voyage {
		t.Errorf("got %+v, %v", got, is)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(file, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.unwant(there, "", nil); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("the error is %v", err)
	}
	if got, is := r.Get(there); !is || got.Unwanted {
		t.Errorf("got %+v, %v", got, is)
	}
}
