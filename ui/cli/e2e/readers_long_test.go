//go:build long

package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
)

// TestReaders stops helm before every command that shows a voyage: each starts helm again. When helm cannot run the
// voyage, each command says so, and exits with a code that scripts do not take for success.
func TestReaders(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	d := c.sailGated(t, "readers", 1, gatedPlan(1))
	readers := [][]string{
		{"status"}, {"status", "--json"}, {"status", "--all"}, {"status", "--all", "--json"}, {"tasks"}, {"tasks", "--json"}, {"logs", "-n", "1"}, {},
	}
	for _, args := range readers {
		c.ocaptain("helm", "stop")
		out := c.ocaptain(args...)
		if c.helm() == 0 {
			t.Errorf("ocaptain %v did not start helm, and printed\n%s", args, out)
		}
	}
	type state struct {
		fleet.Board
		Stale      bool      `json:"stale"`
		StaleWhy   string    `json:"staleWhy"`
		StaleSince time.Time `json:"staleSince"`
	}
	read := func(want int) (s state) {
		t.Helper()
		out, code := c.try("status", "--json")
		if code != want {
			t.Errorf("exit code %d, want %d\n%s", code, want, out)
		}
		if err := json.Unmarshal([]byte(out), &s); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return s
	}
	if s := read(0); s.Stale || len(s.Ships) != 1 || len(s.Tasks) == 0 {
		t.Errorf("got %+v", s)
	}

	c.ocaptain("helm", "stop")
	if err := os.Rename(d.Workspace(), d.Workspace()+"-away"); err != nil {
		t.Fatal(err)
	}
	if s := read(1); !s.Stale || !strings.Contains(s.StaleWhy, "workspace") || s.StaleSince.IsZero() || len(s.Ships) != 1 {
		t.Errorf("without a workspace: %v, %q, %s, %d ships", s.Stale, s.StaleWhy, s.StaleSince, len(s.Ships))
	}
	for _, args := range readers {
		if out, code := c.try(args...); code != 1 && (len(args) == 0 || args[0] != "logs") || !strings.Contains(out, "cannot be taken up") {
			t.Errorf("ocaptain %v: exit %d\n%s", args, code, out)
		}
	}
	if err := os.Rename(d.Workspace()+"-away", d.Workspace()); err != nil {
		t.Fatal(err)
	}

	c.ocaptain("helm", "stop")
	for _, path := range []string{d.Voyage(), d.FleetFile(), d.BoardFile()} {
		if err := os.Truncate(path, 10); err != nil {
			t.Fatal(err)
		}
	}
	if s := read(0); s.Stale || len(s.Ships) != 1 || s.Ships[0].Task == "" || s.Voyage.Name != "readers" {
		t.Errorf("after damage: %+v", s)
	}
	if out := c.ocaptain("status"); !strings.Contains(out, "was damaged") {
		t.Errorf("the damage is not told:\n%s", out)
	}
}
