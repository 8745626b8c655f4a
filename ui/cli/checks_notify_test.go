package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/ui/cli/config"
)

func TestNotifyFinding(t *testing.T) {
	home := t.TempDir()
	for name, mode := range map[string]os.FileMode{"tell": 0o755, "text": 0o644} {
		if err := os.WriteFile(filepath.Join(home, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for yaml, want := range map[string]struct{ state, found string }{
		"":                                {healthy, "not set"},
		"notify: [sh, -c, exit]":          {healthy, "/sh"},
		"notify: [./tell]":                {healthy, home + "/tell"},
		"notify: [./text]":                {doubt, home + "/text"},
		"notify: [no-such-program-here]":  {doubt, "no-such-program-here"},
		"notify: [/no/such/program/here]": {doubt, "/no/such/program/here"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Sources{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		f := notifyFinding(fleet.Hub{Home: home}, c)
		if f.State != want.state || !strings.Contains(f.Found, want.found) || f.Required || (f.State == doubt) != strings.Contains(f.Fix, "config.yaml:1") {
			t.Errorf("%q: %+v", yaml, f)
		}
	}
}
