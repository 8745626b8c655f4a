package ledger

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestLedger(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "machines")
	l := Open(dir)
	if all, err := l.All(); len(all) > 0 || err != nil {
		t.Fatalf("at first: %v, %v", all, err)
	}
	asked := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	one := Entry{Provider: "sprites", Name: "voyage-0123456789ab-ship0", Voyage: "voyage-0123456789ab", Asked: asked}
	two := Entry{Provider: "local", Name: one.Name, Voyage: one.Voyage, Asked: asked}
	for _, e := range []Entry{one, two, one} {
		if err := l.Enter(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Doom(one.Provider, one.Name); err != nil {
		t.Fatal(err)
	}
	if l.Has("sprites", "voyage-0123456789ab-ship7") {
		t.Error("it has what was never entered")
	}
	if err := l.Doom("sprites", "voyage-0123456789ab-ship7"); err != nil || !l.Has("sprites", "voyage-0123456789ab-ship7") {
		t.Errorf("what was never entered was not doomed: %v", err)
	}
	one.Doomed = true
	late := Entry{Provider: "sprites", Name: "voyage-0123456789ab-ship7", Voyage: one.Voyage, Doomed: true}
	if all, err := Open(dir).All(); err != nil || !slices.Equal(all, []Entry{two, one, late}) {
		t.Errorf("got %+v, %v", all, err)
	}

	// A file that was torn still tells of a machine.
	if err := os.WriteFile(filepath.Join(dir, "sprites."+one.Name+".json"), []byte(`{"prov`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Strike(late.Provider, late.Name); err != nil {
		t.Fatal(err)
	}
	torn := Entry{Provider: "sprites", Name: one.Name, Voyage: one.Voyage}
	if all, err := l.All(); err != nil || !slices.Equal(all, []Entry{two, torn}) {
		t.Errorf("got %+v, %v", all, err)
	}
	for range 2 {
		for _, e := range []Entry{one, two} {
			if err := l.Strike(e.Provider, e.Name); err != nil {
				t.Error(err)
			}
		}
	}
	if all, err := l.All(); len(all) > 0 || err != nil {
		t.Errorf("at last: %v, %v", all, err)
	}
	for _, bad := range []string{"", "../x", "a/b", "-x", "X"} {
		if err := l.Enter(Entry{Provider: "local", Name: bad}); err == nil {
			t.Errorf("%q was entered", bad)
		}
		if err := l.Strike("local", bad); err != nil {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
