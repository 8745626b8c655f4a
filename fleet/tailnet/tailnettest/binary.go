package tailnettest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/tasks/cachetest"
)

// Version is the version of Tailscale that ocaptain is tested with. It equals that in .ci/tailscaled/go.mod.
const Version = "1.102.5"

// omitted are features of Tailscale that no test needs (tailscale.com/feature/featuretags). Without them the build takes half the time.
const omitted = `aws bird capture clientupdate cloud completion conn25 dbus doctor drive kube linuxdnsfight networkmanager posture qrcodes
	relayserver resolved ssh synology systray taildrop tap tpm wakeonlan webclient`

// These are read before any test changes HOME or the working directory.
var (
	cache, errCache = os.UserCacheDir()
	here, errHere   = os.Getwd()
)

// Binary returns the path of the real tailscaled, which is also the real tailscale when it is called by that name.
// The first call on a machine builds it, which takes minutes; test binaries that run at the same time share the
// result. The test fails if the build does.
func Binary(t testing.TB) string {
	t.Helper()
	if err := errors.Join(errCache, errHere); err != nil {
		t.Fatalf("find a place for tailscaled: %v", err)
	}
	ctx := t.Context() // without a standstill: another test binary may be building it, which this one cannot see
	path, err := cachetest.Program(ctx, filepath.Join(cache, "ocaptain", "tailscaled"), "tailscaled", Version, build)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// build builds the program under both names, and returns the directory that contains it.
func build(ctx context.Context, scratch string) (string, error) {
	dir := filepath.Join(scratch, "bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "tailscaled")
	if err := compile(ctx, path); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("run tailscaled: %w\n%s", err, out)
	}
	if !strings.HasPrefix(string(out), Version) {
		return "", fmt.Errorf("tailscaled %s says that it is version %s", Version, out)
	}
	return dir, os.Symlink("tailscaled", filepath.Join(dir, "tailscale"))
}

// compile builds both programs as one, from the module that names their version.
func compile(ctx context.Context, to string) error {
	find := exec.CommandContext(ctx, "go", "env", "GOMOD")
	find.Dir = here
	mod, err := find.Output()
	if err != nil {
		return fmt.Errorf("find ocaptain's source: %w", err)
	}
	dir := filepath.Join(filepath.Dir(string(bytes.TrimSpace(mod))), ".ci", "tailscaled")
	tags := "ts_include_cli,ts_omit_" + strings.Join(strings.Fields(omitted), ",ts_omit_")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", tags, "-ldflags", "-s -w", "-o", to, "tailscale.com/cmd/tailscaled")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build tailscaled %s in %s: %w\n%s", Version, dir, err, out)
	}
	return nil
}
