package machines

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// What is added later counts. The machines of an unreadable voyage do not count as orphans.
func TestVoyages(t *testing.T) {
	dir := t.TempDir()
	d := fleet.Dir(filepath.Join(dir, voyage))
	if err := os.Mkdir(string(d), 0o700); err != nil {
		t.Fatal(err)
	}
	ship := &fleet.Ship{Name: "ship-0", Provider: "sprites", Built: 1}
	if err := (&fleet.Fleet{Ships: []*fleet.Ship{ship}}).Save(d); err != nil {
		t.Fatal(err)
	}
	v, err := ReadVoyages(dir)
	if err != nil || !v.Have(there, voyage) || v.Have(here, voyage) {
		t.Errorf("%+v, %v", v, err)
	}
	if v.Add(voyage, &fleet.Fleet{Phase: fleet.Sunk, Ships: []*fleet.Ship{ship}}); v.Have(there, voyage) || v.why(voyage) != "its voyage is sunk" {
		t.Errorf("afterwards: %+v", v)
	}
	if err := os.WriteFile(d.FleetFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err = ReadVoyages(dir); err != nil || !v.Have(there, voyage) {
		t.Errorf("damaged: %+v, %v", v, err)
	}
}

// A voyage without a directory is found by its machines, as long as any may exist, and by the beginning of its id.
func TestGoneVoyages(t *testing.T) {
	const other = "voyage-0123ffffffff"
	r, dir := Open(t.TempDir()), filepath.Join(t.TempDir(), "voyages")
	put(t, r, Record{ID: there, Voyage: voyage}, Record{ID: ID{"local", other + "-ship1"}, Voyage: other}, Record{ID: ID{"local", "voyage-eeeeeeeeeeee-ship1"}, Gone: true, Unwanted: true})
	if ids, err := r.GoneVoyages(dir, ""); err != nil || strings.Join(ids, " ") != voyage+" "+other {
		t.Errorf("%q, %v", ids, err)
	}
	for name, want := range map[string]string{"": "", "01234": voyage, other: other, "voyage-0123f": other, "eeee": ""} {
		if id, err := r.GoneVoyage(dir, name); err != nil || id != want {
			t.Errorf("%q means %q, %v", name, id, err)
		}
	}
	if _, err := r.GoneVoyage(dir, "0123"); err == nil || !strings.Contains(err.Error(), "more than one") {
		t.Errorf("%v", err)
	}
	if why, err := r.Unmounted(dir); err != nil || !strings.Contains(why, "is not there") {
		t.Errorf("%q, %v", why, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if why, err := r.Unmounted(dir); err != nil || !strings.Contains(why, "none of the 2 voyages") {
		t.Errorf("%q, %v", why, err)
	}
}
