// Package bdtest builds the real bd of both generations, so that tests can check that bd reads what ocaptain writes.
package bdtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/tasks/beads"
	"ocaptain/tasks/cachetest"
)

// Files is the version of bd that keeps issues in .beads/issues.jsonl. It equals that in .ci/bd0/go.mod.
const Files = "v0.49.6"

// Dolt is the version of bd that keeps issues in a database. It equals that in .ci/bd1/go.mod.
const Dolt = "v1.0.5"

// These are read before any test changes HOME or the working directory.
var (
	cache, errCache = os.UserCacheDir()
	here, errHere   = os.Getwd()
)

// Binary returns the path of a version of bd. The first call on a machine builds it, which takes minutes.
func Binary(t testing.TB, version string) string {
	t.Helper()
	if err := errors.Join(errCache, errHere); err != nil {
		t.Fatalf("find a place for bd: %v", err)
	}
	path, err := cachetest.Program(t.Context(), filepath.Join(cache, "ocaptain", "bd"), "bd", version, func(ctx context.Context, scratch string) (string, error) {
		return build(ctx, scratch, version)
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// build builds the program in the module that names its version, and returns the directory that contains it.
func build(ctx context.Context, scratch, version string) (string, error) {
	find := exec.CommandContext(ctx, "go", "env", "GOMOD")
	find.Dir = here
	mod, err := find.Output()
	if err != nil {
		return "", fmt.Errorf("find ocaptain's source: %w", err)
	}
	module, cgo := "bd0", "0"
	if version == Dolt {
		module, cgo = "bd1", "1" // its database is written in C
	}
	path := filepath.Join(scratch, "bd")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "github.com/steveyegge/beads/cmd/bd")
	cmd.Dir = filepath.Join(filepath.Dir(string(bytes.TrimSpace(mod))), ".ci", module)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED="+cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build bd %s in %s: %w\n%s", version, cmd.Dir, err, out)
	}
	return scratch, nil
}

// Project is a directory with a Beads project.
type Project struct {
	Dir string
	t   testing.TB
	bd  string
}

// Begin makes a project and lets a version of bd read a file of issues into it.
func Begin(t testing.TB, version string, issues []byte) *Project {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p := At(t, version, dir)
	file := filepath.Join(t.TempDir(), "issues.jsonl")
	if err := os.WriteFile(file, issues, 0o600); err != nil {
		t.Fatal(err)
	}
	if version == Dolt {
		p.Run("import", file)
	} else {
		p.Run("import", "-i", file)
	}
	return p
}

// At returns the project in an existing directory.
func At(t testing.TB, version, dir string) *Project {
	t.Helper()
	p := &Project{dir, t, Binary(t, version)}
	init := []string{"init", "--prefix", "kite", "-q", "--skip-hooks"}
	if version == Dolt {
		init = append(init, "--skip-agents", "--non-interactive")
	}
	p.Run(init...)
	return p
}

// Run runs a bd command that must succeed, and returns its output.
func (p *Project) Run(args ...string) []byte {
	p.t.Helper()
	out, err := p.Try(args...)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// Try runs a bd command that may fail.
func (p *Project) Try(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(p.t.Context(), p.bd, args...)
	cmd.Dir, cmd.WaitDelay = p.Dir, 10*time.Second
	cmd.Env = append(os.Environ(), "BEADS_NO_DAEMON=1", "BEADS_ACTOR=captain", "BD_ACTOR=captain", "HOME="+p.Dir, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("bd %q: %w\n%s%s", args, err, out.Bytes(), told.Bytes())
	}
	return out.Bytes(), nil
}

// File reads the file of issues.
func (p *Project) File() *beads.File {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.Dir, beads.Name))
	if err != nil {
		p.t.Fatal(err)
	}
	return beads.Read(data)
}

// Listed is an issue in a list that bd prints.
type Listed struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Status    string   `json:"status"`
	Labels    []string `json:"labels"`
	BlockedBy []string `json:"blocked_by"`
	Parent    string   `json:"parent"`
}

// List runs a bd command with --json and returns the listed issues.
func (p *Project) List(args ...string) []Listed {
	p.t.Helper()
	var all []Listed
	if err := json.Unmarshal(p.Run(append(args, "--json")...), &all); err != nil {
		p.t.Fatalf("bd %q: %v", args, err)
	}
	return all
}
