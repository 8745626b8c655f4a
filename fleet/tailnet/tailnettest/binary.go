package tailnettest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// Version is the Tailscale that ocaptain is tested with: that of .ci/tailscaled/go.mod.
const Version = "1.102.5"

// Found out before any test changes HOME or the working directory.
var (
	cache, errCache = os.UserCacheDir()
	here, errHere   = os.Getwd()
)

// Binary returns the path of the real tailscaled, which is the real tailscale too when it is called by that
// name. The first call on a machine builds it, for minutes; packages that are tested at the same
// time share it. The test fails when it can't be had.
func Binary(t testing.TB) string {
	t.Helper()
	if err := errors.Join(errCache, errHere); err != nil {
		t.Fatalf("find a place for tailscaled: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	path, err := build(ctx, filepath.Join(cache, "ocaptain", "tailscaled"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// build returns the path of the binary under root, and puts it there if need be.
func build(ctx context.Context, root string) (string, error) {
	path := filepath.Join(root, Version, "tailscaled")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("make tailscaled cache: %w", err)
	}
	lock := flock.New(filepath.Join(root, Version+".lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return "", fmt.Errorf("lock tailscaled cache: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err // somebody else has built it meanwhile
	}
	scratch := path + ".new"
	if err := compile(ctx, scratch); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, scratch, "--version").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("run tailscaled: %w\n%s", err, out)
	}
	if !strings.HasPrefix(string(out), Version) {
		return "", fmt.Errorf("tailscaled %s says that it is version %s", Version, out)
	}
	if err := os.Symlink("tailscaled", filepath.Join(filepath.Dir(path), "tailscale")); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return path, os.Rename(scratch, path)
}

// compile makes both programs in one, from the module that names their version.
func compile(ctx context.Context, to string) error {
	find := exec.CommandContext(ctx, "go", "env", "GOMOD")
	find.Dir = here
	mod, err := find.Output()
	if err != nil {
		return fmt.Errorf("find ocaptain's source: %w", err)
	}
	dir := filepath.Join(filepath.Dir(string(bytes.TrimSpace(mod))), ".ci", "tailscaled")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "ts_include_cli", "-ldflags", "-s -w", "-o", to, "tailscale.com/cmd/tailscaled")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build tailscaled %s in %s: %w\n%s", Version, dir, err, out)
	}
	return nil
}
