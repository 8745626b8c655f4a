// Package mutagentest builds the real Mutagen for tests.
package mutagentest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"ocaptain/tasks/cachetest"
)

// Version is the version of Mutagen in .ci/mutagen/go.mod, with which ocaptain is tested.
const Version = "0.18.1"

// Determined before any test changes HOME or the working directory.
var (
	cache, errCache = os.UserCacheDir()
	here, errHere   = os.Getwd()
)

// Binary returns the path of the real mutagen. Beside it is its agent for this operating system and architecture. The
// first call on a machine builds both.
func Binary(t testing.TB) string {
	t.Helper()
	if err := errors.Join(errCache, errHere); err != nil {
		t.Fatalf("find a place for mutagen: %v", err)
	}
	path, err := cachetest.Program(t.Context(), filepath.Join(cache, "ocaptain", "mutagen"), "mutagen", Version, build)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// InPath puts the real mutagen into PATH for the test.
func InPath(t testing.TB) {
	t.Helper()
	t.Setenv("PATH", filepath.Dir(Binary(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// build builds the program and its bundle of agents, and returns their directory.
func build(ctx context.Context, scratch string) (string, error) {
	find := exec.CommandContext(ctx, "go", "env", "GOMOD")
	find.Dir = here
	mod, err := find.Output()
	if err != nil {
		return "", fmt.Errorf("find ocaptain's source: %w", err)
	}
	source := filepath.Join(filepath.Dir(string(bytes.TrimSpace(mod))), ".ci", "mutagen")
	dir, agent := filepath.Join(scratch, "bin"), filepath.Join(scratch, "agent")
	if err := compile(ctx, source, "mutagencli", filepath.Join(dir, "mutagen"), "mutagen"); err != nil {
		return "", err
	}
	if err := compile(ctx, source, "mutagenagent", agent, "mutagen-agent"); err != nil {
		return "", err
	}
	return dir, pack(filepath.Join(dir, "mutagen-agents.tar.gz"), agent)
}

func compile(ctx context.Context, source, tag, to, name string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", tag, "-ldflags", "-s -w", "-o", to, "github.com/mutagen-io/mutagen/cmd/"+name)
	cmd.Dir, cmd.Env = source, append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build mutagen %s in %s: %w\n%s", Version, source, err, out)
	}
	return nil
}

// pack makes a bundle with one agent.
func pack(bundle, agent string) error {
	data, err := os.ReadFile(agent)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	all := tar.NewWriter(zip)
	header := &tar.Header{Name: runtime.GOOS + "_" + runtime.GOARCH, Mode: 0o755, Size: int64(len(data))}
	if err := all.WriteHeader(header); err != nil {
		return err
	}
	_, err = all.Write(data)
	if err = errors.Join(err, all.Close(), zip.Close()); err != nil {
		return err
	}
	return os.WriteFile(bundle, packed.Bytes(), 0o644)
}
