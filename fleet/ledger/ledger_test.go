package ledger

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	if err := l.Doom(one.Provider, one.Name, ""); err != nil {
		t.Fatal(err)
	}
	if l.Has("sprites", "voyage-0123456789ab-ship7") {
		t.Error("it has what was never entered")
	}
	if err := l.Doom("sprites", "voyage-0123456789ab-ship7", "no answer"); err != nil || !l.Has("sprites", "voyage-0123456789ab-ship7") {
		t.Errorf("what was never entered was not doomed: %v", err)
	}
	one.Doomed = true
	late := Entry{Provider: "sprites", Name: "voyage-0123456789ab-ship7", Voyage: one.Voyage, Doomed: true, Why: "no answer"}
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

// An entry that cannot be read is doomed all the same, and where even that cannot be written the error names the file.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	l := Open(dir)
	const name = "voyage-0123456789ab-ship0"
	file := filepath.Join(dir, "sprites."+name+".json")
	if err := os.Symlink(file, file); err != nil { // which no read gets through
		t.Fatal(err)
	}
	if err := l.Doom("sprites", name, "no answer"); err != nil {
		t.Error(err)
	}
	want := Entry{Provider: "sprites", Name: name, Voyage: "voyage-0123456789ab", Doomed: true, Why: "no answer"}
	got, there := l.Get("sprites", name)
	if want.Asked = got.Asked; !there || got != want || got.Asked.IsZero() {
		t.Errorf("got %+v, %v", got, there)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(file, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := l.Doom("sprites", name, ""); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("the error is %v", err)
	}
	if got, there := l.Get("sprites", name); !there || got.Doomed {
		t.Errorf("got %+v, %v", got, there)
	}
}

// Whose a machine is, is learnt once. Entries of versions that kept no account load.
func TestAccount(t *testing.T) {
	dir := t.TempDir()
	l := Open(dir)
	const name = "voyage-0123456789ab-ship0"
	old := `{"provider":"sprites","name":"` + name + `","voyage":"voyage-0123456789ab","doomed":true}`
	if err := os.WriteFile(l.File("sprites", name), []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, account := range []string{"", "acme", "wile"} {
		if err := l.Learn("sprites", name, account); err != nil {
			t.Fatal(err)
		}
	}
	if e, there := l.Get("sprites", name); !there || e.Account != "acme" || !e.Doomed {
		t.Errorf("got %+v", e)
	}
	if err := l.Learn("sprites", "voyage-0123456789ab-ship1", "acme"); err != nil || l.Has("sprites", "voyage-0123456789ab-ship1") {
		t.Errorf("what was never asked for has an entry: %v", err)
	}
}
