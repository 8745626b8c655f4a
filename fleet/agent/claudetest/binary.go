package claudetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/agent/packages"
)

// Version is the Claude Code that ocaptain is tested with. Behaviour that matters
// here differs between its versions.
const Version = "2.1.329"

// cache is found out before any test changes HOME.
var cache, errCache = os.UserCacheDir()

// Agents is the directory with programs of agents that all tests of this user share.
func Agents() string { return filepath.Join(cache, "ocaptain", "agents") }

// Binary returns the path of the real Claude Code of that Version. The first call on
// a machine fetches it as ocaptain does, some 380 MB; packages that are tested at the same
// time share it. The test fails when it can't be had.
func Binary(t testing.TB) string {
	t.Helper()
	if errCache != nil {
		t.Fatalf("find cache directory for claude: %v", errCache)
	}
	p, err := packages.ProgramFor("claude", packages.Here(), packages.Release{})
	if err != nil {
		t.Fatal(err)
	}
	if path := p.Find(Agents()); path != "" {
		return path
	}
	ctx := t.Context() // another test may fetch it, which this one cannot see move
	// A test has a home of its own, and so none of this user's configuration of npm.
	if out, err := exec.CommandContext(ctx, "npm", "config", "get", "registry").Output(); err == nil {
		p.Address = strings.TrimRight(strings.TrimSpace(string(out)), "/") + "/" + p.Name + "/-/" + filepath.Base(p.Name) + "-" + p.Version + ".tgz"
	}
	path, err := p.Get(ctx, Agents(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
