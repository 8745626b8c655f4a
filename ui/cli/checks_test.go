package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/ui/cli/config"
)

// doctored returns a bridge whose hub lacks nothing. Its paths are short enough for sockets.
func doctored(t *testing.T) *bridge {
	t.Helper()
	home, err := os.MkdirTemp("", "oc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	hub := fleet.Hub{Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"), Config: filepath.Join(home, "config")}
	hub.Runtime = filepath.Join(hub.State, "run")
	return &bridge{hub: hub}
}

// A helm that does not run is fine; a helm that cannot be started is not, and the doctor says why it cannot.
func TestHelmFinding(t *testing.T) {
	b := doctored(t)
	if f := helmFinding(t.Context(), b); f.State != healthy || f.Found != "not running" {
		t.Errorf("%+v", f)
	}
	log := supervise.LogPath(b.hub)
	if err := errors.Join(os.Remove(log), os.Mkdir(log, 0o700)); err != nil {
		t.Fatal(err)
	}
	if f := helmFinding(t.Context(), b); f.State != missing || !f.Required || f.Fix == "" || !strings.Contains(f.Found, "cannot be started: open "+log) {
		t.Errorf("%+v", f)
	}
}

// The doctor checks the directories of voyages that are not sunk, to which helm writes, and leaves no file there.
func TestPlacesFinding(t *testing.T) {
	b := doctored(t)
	const id = "voyage-0123456789ab"
	voyage := fleet.Dir(filepath.Join(b.hub.Voyages, id))
	sail := func(phase fleet.Phase) {
		t.Helper()
		mustMkdir(t, string(voyage))
		writeJSON(t, voyage.FleetFile(), fleet.Fleet{Phase: phase})
	}
	sail(fleet.Sailing)
	if f := placesFinding(b); f.State != healthy {
		t.Errorf("%+v", f)
	}
	if left, _ := filepath.Glob(filepath.Join(string(voyage), ".doctor*")); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
	// longest makes the path of a voyage so long that no file with a longer name than fleet.json fits into it.
	const longest = 4095
	room := longest - len("/fleet.json") - len("/"+id)
	for room-len(b.hub.Voyages) > 200 {
		b.hub.Voyages += "/" + strings.Repeat("x", 99)
	}
	b.hub.Voyages += "/" + strings.Repeat("x", room-len(b.hub.Voyages)-1)
	voyage = fleet.Dir(filepath.Join(b.hub.Voyages, id))
	sail(fleet.Sailing)
	if f := placesFinding(b); f.State != missing || !strings.Contains(f.Found, id) || !strings.Contains(f.Fix, "the voyage") {
		t.Errorf("%+v", f)
	}
	sail(fleet.Sunk)
	if f := placesFinding(b); f.State != healthy {
		t.Errorf("of a sunk voyage: %+v", f)
	}
}

// The doctor reports a chosen or configured version for an agent that has no versions.
func TestVersionOfWhatHasNone(t *testing.T) {
	b := doctored(t)
	found := b.agentFindings(t.Context(), config.Config{Agent: "script"}, "latest")
	if len(found) != 1 || found[0].State != missing || !strings.Contains(found[0].Found, "fetches no script") {
		t.Errorf("found %+v", found)
	}
	if found := b.agentFindings(t.Context(), config.Config{Agent: "script"}, ""); len(found) > 0 {
		t.Errorf("found %+v without a version", found)
	}
}
