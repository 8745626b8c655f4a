package fleet

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/fleet/summed"
	"ocaptain/tasks/journal"
)

func testDir(t testing.TB) Dir {
	t.Helper()
	d := Dir(filepath.Join(t.TempDir(), "voyage-0123456789ab"))
	if err := os.Mkdir(string(d), 0o755); err != nil {
		t.Fatal(err)
	}
	return d
}

// No file with a flipped bit and no cut file passes for what was written.
func TestDamagedFile(t *testing.T) {
	d := testDir(t)
	is := Fleet{Serial: 3, Phase: Sailing, Next: 1, Ships: []*Ship{{Name: "ship-0", Provider: "local", Phase: Afloat}}}
	if err := is.Save(d); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(d.FleetFile())
	if err != nil {
		t.Fatal(err)
	}
	load := func(raw []byte) error {
		if err := os.WriteFile(d.FleetFile(), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		var f Fleet
		return summed.Read(d.FleetFile(), &f)
	}
	if err := load(whole); err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) - 1 {
		if err := load(whole[:cut]); !errors.Is(err, summed.ErrDamaged) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
	for bit := range 8 * bytes.LastIndex(whole, []byte(",\n  \"sum\"")) {
		flipped := append([]byte{}, whole...)
		flipped[bit/8] ^= 1 << (bit % 8)
		if err := load(flipped); !errors.Is(err, summed.ErrDamaged) {
			t.Fatalf("bit %d: %v", bit, err)
		}
	}
}

// If fleet.json or voyage.json is lost, the journal says what was in it.
func TestFacts(t *testing.T) {
	d := testDir(t)
	j, err := journal.Open(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var r Recorder
	record := func(f *Fleet, want bool) {
		t.Helper()
		c, changed, err := r.Change(f)
		if err != nil || changed != want {
			t.Fatalf("changed: %v, %v", changed, err)
		}
		if changed {
			if _, err := j.AddRecord(KindFleet, c); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := j.AddRecord(KindVoyage, Voyage{ID: d.ID(), Name: "facts"}); err != nil {
		t.Fatal(err)
	}
	f := Fleet{Phase: Fitting, Ships: []*Ship{{Name: "ship-0"}, {Name: "ship-1"}}, Next: 2}
	record(&f, true)
	record(&f, false)
	f.Ships[0].Idle = time.Hour
	record(&f, false)
	f.Ships[1].HostKey = "key"
	record(&f, true)
	f.Phase, f.Verify = Sailing, Verify{Runs: 1, Output: "out"}
	record(&f, true)
	f.Ships = f.Ships[1:]
	record(&f, true)
	for range 2 {
		got, err := LoadFleet(d)
		if err != nil || got.Phase != Sailing || got.Verify.Output != "out" || got.Serial != 4 || len(got.Ships) != 1 || got.Ships[0].HostKey != "key" {
			t.Errorf("got %+v, %v", got, err)
		}
		v, err := LoadVoyage(d)
		if err != nil || v.Name != "facts" {
			t.Errorf("got %+v, %v", v, err)
		}
		for _, path := range []string{d.FleetFile(), d.Voyage()} {
			if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if dirs, err := Voyages(filepath.Dir(string(d))).List(); err != nil || len(dirs) != 1 {
		t.Errorf("listed are %v, %v", dirs, err)
	}
}

// FuzzFiles puts any bytes into the files of a voyage: reading returns either ships that have names, or an error.
func FuzzFiles(f *testing.F) {
	f.Add([]byte(`{"phase":"sailing","ships":[null,{"name":"ship-0"}]}`), []byte(`{"at":"2026-01-01T00:00:00Z","kind":"voyage.fleet","data":{"names":["a"],"ships":[null]}}`))
	f.Add([]byte(`{"ships":{}}`), []byte(`{"at":"2026-01-01T00:00:00Z","kind":"voyage.is","data":{"id":1}}`))
	f.Add([]byte("{}"), []byte("[]"))
	f.Fuzz(func(t *testing.T, file, events []byte) {
		d := testDir(t)
		for path, raw := range map[string][]byte{d.FleetFile(): file, d.Voyage(): file, d.BoardFile(): file, d.UsageFile(): file, d.Events(): append(events, '\n')} {
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		fleet, _ := LoadFleet(d)
		for _, s := range fleet.Ships {
			if s == nil || s.Name == "" {
				t.Errorf("got %+v", fleet)
			}
		}
		_, _ = LoadVoyage(d)
		_, _ = ReadBoard(d)
		_, _ = ReadSummary(d)
		_, _ = Voyages(filepath.Dir(string(d))).Find("")
	})
}
