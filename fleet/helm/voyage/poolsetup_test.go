package voyage

import (
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
)

// withSetup gives the pool's repository a setup script, and returns the commit with it.
func withSetup(t *testing.T, d fleet.Dir, script string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(d.Workspace(), "scripts"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(d.Workspace(), "scripts"), "dev-setup.sh", "#!/bin/sh\n"+script+"\n")
	git(t, d, "add", "scripts")
	git(t, d, "commit", "-q", "-m", "set up")
	return git(t, d, "rev-parse", "HEAD")
}
