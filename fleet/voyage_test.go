package fleet_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// TestVoyageKeepsUnknownFields loads a file of the original program with a field that neither program knows.
func TestVoyageKeepsUnknownFields(t *testing.T) {
	const old = `{"id":"voyage-0123456789ab","prompt":"Do it","repo":"owner/repo","branch":"voyage-0123456789ab",
		"task_list_id":"voyage-0123456789ab-tasks","ship_count":3,"created_at":"2026-01-02T03:04:05Z","later":{"x":[1]}}`
	var v fleet.Voyage
	if err := json.Unmarshal([]byte(old), &v); err != nil {
		t.Fatal(err)
	}
	if v.Repo != "owner/repo" || v.ShipCount != 3 {
		t.Errorf("read %+v", v)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(raw), `"later":{"x":[1]}`) {
		t.Errorf("unknown field lost: %s", raw)
	}
}

func TestFind(t *testing.T) {
	root := fleet.Voyages(t.TempDir())
	add := func(id string, phase fleet.Phase, names ...string) {
		t.Helper()
		v := fleet.Voyage{ID: id}
		if len(names) > 0 {
			v.Name = names[0]
		}
		if len(names) > 1 {
			v.Kind, v.Branch = fleet.Session, names[1]
		}
		d := fleet.Dir(string(root) + "/" + id)
		if err := os.Mkdir(string(d), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := v.Save(d); err != nil {
			t.Fatal(err)
		}
		if err := (&fleet.Fleet{Phase: phase}).Save(d); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := root.Find(""); err == nil || !strings.Contains(err.Error(), "ocaptain sail") {
		t.Errorf("no voyage: %v", err)
	}
	add("voyage-aaaaaaaaaaaa", fleet.Sailing)
	add("voyage-aabbbbbbbbbb", fleet.Sunk)
	for name, want := range map[string]string{
		"":                    "voyage-aaaaaaaaaaaa", // the other voyage of this name is sunk
		"aab":                 "voyage-aabbbbbbbbbb",
		"voyage-aaa":          "voyage-aaaaaaaaaaaa",
		"voyage-aabbbbbbbbbb": "voyage-aabbbbbbbbbb",
	} {
		if d, err := root.Find(name); err != nil || d.ID() != want {
			t.Errorf("Find(%q) = %s, %v", name, d, err)
		}
	}
	for name, want := range map[string]string{"aa": "more than one", "zz": "no voyage is called", "../etc": "no voyage is called"} {
		if _, err := root.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Find(%q): %v", name, err)
		}
	}

	// A name counts before the beginning of an id, and a voyage with ships before sunk voyages.
	add("voyage-cccccccccccc", fleet.Sunk, "harbor")
	add("voyage-cdcdcdcdcdcd", fleet.Sailing, "harbor")
	add("voyage-dddddddddddd", fleet.Sunk, "tides")
	add("voyage-eeeeeeeeeeee", fleet.Sailing, "", "feat/user-auth")
	add("voyage-ffffffffffff", fleet.Sailing, "cc")
	add("voyage-111111111111", fleet.Sailing, "twice")
	add("voyage-222222222222", fleet.Sailing, "twice")
	for name, want := range map[string]string{
		"harbor": "voyage-cdcdcdcdcdcd", "tides": "voyage-dddddddddddd", "feat/user-auth": "voyage-eeeeeeeeeeee", "cc": "voyage-ffffffffffff", "ccc": "voyage-cccccccccccc",
	} {
		if d, err := root.Find(name); err != nil || d.ID() != want {
			t.Errorf("Find(%q) = %s, %v", name, d, err)
		}
	}
	if _, err := root.Find("twice"); err == nil || !strings.Contains(err.Error(), "more than one voyage: twice (voyage-111111111111), twice (voyage-222222222222)") {
		t.Errorf("a name of two: %v", err)
	}
}

func TestMachineNames(t *testing.T) {
	s := fleet.Ship{Number: 7, Built: 1}
	if got := s.MachineName("voyage-0123456789ab"); got != "voyage-0123456789ab-ship7" {
		t.Error(got)
	}
	s.Built = 3 // a new machine never has the name of an old machine
	if got := s.MachineName("voyage-0123456789ab"); got != "voyage-0123456789ab-ship7r2" {
		t.Error(got)
	}
}
