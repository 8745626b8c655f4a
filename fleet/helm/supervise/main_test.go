package supervise

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/fleet"
)

// As "helm run" and "helm guard" this test stands in for helm and its guard, which start each other.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "helm" {
		os.Exit(standIn(os.Args[2]))
	}
	os.Exit(m.Run())
}

// newHub gives the test a home of its own.
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

// until waits for something to become true. A machine with other work may take four times as long.
func until(t *testing.T, what string, most time.Duration, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(4 * most); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s", what, 4*most)
		}
	}
}
