package saved

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/helm/plan"
	"ocaptain/fleet/machines"
	"ocaptain/tasks/journal"
)

var used = map[string]*facts.Used{"ship-0": {Built: 1, Past: fleet.Usage{Messages: 3}}}

// leave makes the directory of a voyage with one ship, as helm leaves it.
func leave(t *testing.T) fleet.Dir {
	t.Helper()
	d := fleet.Dir(filepath.Join(t.TempDir(), fleet.NewID()))
	info := fleet.Voyage{ID: d.ID(), Name: "damaged", CreatedAt: time.Now().Add(-time.Hour).UTC().Truncate(time.Second)}
	if err := os.MkdirAll(d.Artifacts(), 0o700); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	f := fleet.Fleet{Phase: fleet.Sailing, Next: 1, Ships: []*fleet.Ship{{Name: "ship-0", Built: 1, Provider: "local", Phase: fleet.Afloat}}}
	var r fleet.Recorder
	change, _, err := r.Change(&f)
	for _, record := range []facts.Record{
		{Kind: fleet.KindVoyage, Data: info},
		{Kind: fleet.KindOrders, Data: fleet.Orders{}},
		{Kind: fleet.KindFleet, Data: change},
		{Kind: facts.KindProposal, Data: fleet.Proposal{ID: 1, Text: "first"}},
		{Kind: facts.KindProposal, Data: fleet.Proposal{ID: 2, Text: "second"}},
	} {
		_, e := j.AddRecord(record.Kind, record.Data)
		err = errors.Join(err, e)
	}
	board := fleet.Board{
		Voyage: info, Phase: f.Phase, Journal: j.Size(), Ships: []fleet.ShipView{{Ship: *f.Ships[0]}},
		Proposals: []fleet.Proposal{{ID: 1, Text: "first"}, {ID: 2, Text: "second"}},
	}
	var files kept.Files
	err = errors.Join(err, info.Save(d), f.Save(d), files.Write(d.BoardFile(), &board, 0o600), files.Write(d.UsageFile(), used, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// open reads the voyage, and checks that everything is restored except for what only usage.json has.
func open(t *testing.T, d fleet.Dir) *Voyage {
	t.Helper()
	v, err := Open(d, &kept.Files{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Journal.Close() })
	if v.Info.Name != "damaged" || v.Fleet.Phase != fleet.Sailing || len(v.Fleet.Ships) != 1 || v.Fleet.Ships[0].Phase != fleet.Afloat || len(v.Proposals.Waiting()) != 2 {
		t.Errorf("known are %+v, %+v, %+v; found was %q", v.Info, v.Fleet, v.Proposals.Waiting(), v.Found)
	}
	return v
}

var harms = map[string]func(path string) error{
	"missing":     os.Remove,
	"empty":       func(path string) error { return os.Truncate(path, 0) },
	"truncated":   func(path string) error { return os.Truncate(path, 5) },
	"a directory": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
	"unreadable":  func(path string) error { return os.Chmod(path, 0) },
}

// TestDamages: whatever happens to one of the files, the others restore its content, and a note tells the captain about
// the damage.
func TestDamages(t *testing.T) {
	for how, harm := range harms {
		for _, name := range []string{"voyage.json", "fleet.json", "snapshot.json", "usage.json", "events.jsonl"} {
			d := leave(t)
			if err := harm(filepath.Join(string(d), name)); err != nil {
				t.Fatal(err)
			}
			v := open(t, d)
			silent := how == "unreadable" || how == "missing" && name != "fleet.json" || name == "events.jsonl" && how != "a directory"
			if told := strings.Contains(strings.Join(v.Found, "\n"), name); told == silent {
				t.Errorf("%s %s: found is %q", name, how, v.Found)
			}
			if own := name == "usage.json" && how != "unreadable"; !own && !reflect.DeepEqual(v.Spending.Usage.Ships, used) {
				t.Errorf("%s %s: used was %+v", name, how, v.Spending.Usage.Ships["ship-0"])
			}
			if lost := v.FleetLost; lost != (name == "fleet.json" && how != "unreadable") {
				t.Errorf("%s %s: fleet.json is lost: %v", name, how, lost)
			}
			if lost := name == "events.jsonl" && how != "unreadable"; lost != (len(v.Lacks) > 0) {
				t.Errorf("%s %s: the journal lacks %+v", name, how, v.Lacks)
			}
		}
	}
}

// TestOpen: a sound voyage has no message, an older copy of a file does not count, and voyage.json keeps its time.
func TestOpen(t *testing.T) {
	d := leave(t)
	if v := open(t, d); len(v.Found)+len(v.Lacks) > 0 {
		t.Errorf("found is %q, and lacking %+v", v.Found, v.Lacks)
	}
	old := fleet.Voyage{ID: d.ID(), Name: "older"}
	if err := errors.Join(old.Save(d), (&fleet.Fleet{Phase: fleet.Fitting}).Save(d)); err != nil {
		t.Fatal(err)
	}
	v := open(t, d)
	if found := strings.Join(v.Found, "\n"); !strings.Contains(found, "voyage.json was an older copy") {
		t.Errorf("found is %q", found)
	}
	if info, err := os.Stat(d.Voyage()); err != nil || !info.ModTime().Equal(v.Info.CreatedAt) {
		t.Errorf("voyage.json is of %v, the voyage of %v", info.ModTime(), v.Info.CreatedAt)
	}
}

// TestAdopt: machines on record for the voyage become its ships again when all other records of its ships are lost.
func TestAdopt(t *testing.T) {
	d := leave(t)
	for _, path := range []string{d.Events(), d.FleetFile(), d.BoardFile()} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	v, err := Open(d, &kept.Files{})
	if err != nil || !v.FleetLost || len(v.Fleet.Ships) != 0 {
		t.Fatalf("%+v, %v", v, err)
	}
	defer v.Journal.Close()
	name := (&fleet.Ship{Name: "ship-3", Number: 3, Built: 2}).MachineName(d.ID())
	v.Adopt(plan.Plan{Voyage: d.ID()}, []machines.Record{
		{ID: machines.ID{Provider: "local", Name: name}, Voyage: d.ID()},
		{ID: machines.ID{Provider: "local", Name: name}, Voyage: d.ID()},
		{ID: machines.ID{Provider: "local", Name: "unwanted"}, Voyage: d.ID(), Unwanted: true},
		{ID: machines.ID{Provider: "local", Name: name}, Voyage: "4567"},
	})
	if f := v.Fleet; len(f.Ships) != 1 || f.Ships[0].Name != "ship-3" || f.Ships[0].Built != 2 || f.Ships[0].Phase != fleet.Failed || f.Next != 4 {
		t.Errorf("%+v", f)
	}
	if len(v.Found) != 1 || !strings.Contains(v.Found[0], "ocaptain ship replace ship-3 --voyage "+d.ID()) {
		t.Errorf("the captain is told %q", v.Found)
	}
}
