package claudetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/agent/packages"
)

// Version is the version of Claude Code that ocaptain is tested with. Its behaviour differs between versions.
const Version = "2.1.329"

// cache is read before any test changes HOME.
var cache, errCache = os.UserCacheDir()

// Agents returns the directory with programs of agents that all tests of this user share.
func Agents() string { return filepath.Join(cache, "ocaptain", "agents") }

// Binary returns the path of the real Claude Code of that Version. The first call on a machine downloads about 380
// MB, as ocaptain does; test binaries that run at the same time share it. The test fails if the download does.
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
	ctx := t.Context() // without a standstill: another test binary may be downloading it, which this one cannot see
	// A test has its own HOME, and so lacks this user's npm configuration.
	if out, err := exec.CommandContext(ctx, "npm", "config", "get", "registry").Output(); err == nil {
		p.Address = strings.TrimRight(strings.TrimSpace(string(out)), "/") + "/" + p.Name + "/-/" + filepath.Base(p.Name) + "-" + p.Version + ".tgz"
	}
	path, err := p.Get(ctx, Agents(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
