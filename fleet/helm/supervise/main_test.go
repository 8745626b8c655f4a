package supervise

import (
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
)

// Started as "helm run" or "helm guard", the test binary plays helm or its guard, which start each other.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "helm" {
		os.Exit(standIn(os.Args[2]))
	}
	os.Exit(m.Run())
}

// newHub returns a hub in a new home directory.
func newHub(t *testing.T) fleet.Hub {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	h := fleet.Hub{Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"), Config: filepath.Join(home, "config")}
	if err := os.MkdirAll(h.State, 0o700); err != nil {
		t.Fatal(err)
	}
	return h
}
