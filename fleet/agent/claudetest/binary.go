package claudetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/cachetest"
)

// Version is the Claude Code that ocaptain is tested with. Behaviour that matters
// here differs between its versions.
const Version = "2.1.329"

// cache is found out before any test changes HOME.
var cache, errCache = os.UserCacheDir()

// Binary returns the path of the real Claude Code of that Version. The first call on
// a machine fetches it with npm, some 380 MB; packages that are tested at the same
// time share it. The test fails when it can't be had.
func Binary(t testing.TB) string {
	t.Helper()
	if errCache != nil {
		t.Fatalf("find cache directory for claude: %v", errCache)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	path, err := fetch(ctx, filepath.Join(cache, "ocaptain", "claude"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// fetch returns the path of the binary under root, and puts it there if need be.
func fetch(ctx context.Context, root string) (string, error) {
	return cachetest.Program(ctx, root, "claude", Version, install)
}

// install has npm fetch and check the package for this machine, and returns the
// directory with the binary in it.
func install(ctx context.Context, dir string) (string, error) {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	pkg := "@anthropic-ai/claude-code-" + runtime.GOOS + "-" + arch
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", dir, "--cache", filepath.Join(dir, "cache"),
		"--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", pkg+"@"+Version)
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fetch %s@%s with npm (is it installed, and its registry in reach?): %w\n%s", pkg, Version, err, out)
	}
	found := filepath.Join(dir, "node_modules", filepath.FromSlash(pkg))
	out, err := exec.CommandContext(ctx, filepath.Join(found, "claude"), "--version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("run %s@%s: %w\n%s", pkg, Version, err, out)
	}
	if !strings.HasPrefix(string(out), Version+" ") {
		return "", fmt.Errorf("%s@%s says that it is version %s", pkg, Version, out)
	}
	return found, nil
}
