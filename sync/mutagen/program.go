package mutagen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/sync/bounded"
)

// Least is the oldest version that works.
const Least = "0.17"

// Program is an installed Mutagen.
type Program struct {
	Path    string // without symbolic links
	Version string
}

// ErrAbsent means that there is no Mutagen in PATH.
var ErrAbsent = errors.New("mutagen is not installed")

// bundle is the archive of the agents that Mutagen starts on other machines.
const bundle = "mutagen-agents.tar.gz"

// asking bounds a command that involves no other machine.
const asking = 20 * time.Second

// Find returns the Mutagen in PATH. The error says what is wrong with it.
func Find(ctx context.Context) (Program, error) {
	path, err := exec.LookPath("mutagen")
	if err != nil {
		return Program{}, ErrAbsent
	}
	if path, err = filepath.Abs(path); err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return Program{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "version")
	out := bounded.NewOutput(4096)
	cmd.Stdout, cmd.WaitDelay = out, time.Second
	if err := cmd.Run(); err != nil {
		return Program{}, fmt.Errorf("%s does not run: %w", path, err)
	}
	p := Program{path, strings.TrimSpace(out.String())}
	if isOlder(p.Version, Least) {
		return Program{}, fmt.Errorf("%s has version %.40q, and %s is needed: install a newer one", path, p.Version, Least)
	}
	dir := filepath.Dir(path)
	for _, at := range []string{dir, filepath.Join(filepath.Dir(dir), "libexec")} {
		if _, err := os.Stat(filepath.Join(at, bundle)); err == nil {
			return p, nil
		}
	}
	return Program{}, fmt.Errorf("%s has no %s beside it or in ../libexec, which Mutagen's own packages bring: install it whole", path, bundle)
}

// isOlder reports whether version is older than least. A version that does not begin with two numbers counts as
// older.
func isOlder(version, least string) bool {
	var major, minor, wantMajor, wantMinor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n < 2 {
		return true
	}
	_, _ = fmt.Sscanf(least, "%d.%d", &wantMajor, &wantMinor)
	return major < wantMajor || major == wantMajor && minor < wantMinor
}
