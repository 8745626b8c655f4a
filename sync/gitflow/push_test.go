package gitflow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPush(t *testing.T) {
	src := filepath.Join(t.TempDir(), "origin.git")
	gitOutput(t, t.TempDir(), "init", "-q", "--bare", src)
	dir := filepath.Join(t.TempDir(), "workspace")
	start, err := Prepare(t.Context(), dir, "", "voyage", PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	commit := func(parent, message string) string {
		return gitOutput(t, dir, "-c", "user.name=x", "-c", "user.email=x@y", "commit-tree", "-m", message, "-p", parent, parent+"^{tree}")
	}
	const branch = "dispatch/kite-2-7"
	one := commit(start, "one")
	gitOutput(t, dir, "update-ref", "refs/heads/"+branch, one)
	hook := filepath.Join(dir, ".git", "hooks", "pre-push")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ntouch hooked\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Push(t.Context(), dir, src, branch, PrepareOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := gitOutput(t, src, "for-each-ref", "--format=%(objectname) %(refname)"); got != one+" refs/heads/"+branch {
		t.Errorf("the source has %s", got)
	}
	if exists(filepath.Join(dir, "hooked")) {
		t.Error("a hook ran")
	}
	gitOutput(t, dir, "update-ref", "refs/heads/"+branch, commit(start, "other"))
	for says, args := range map[string][2]string{
		"rejected":           {src, branch},
		"no/such/place":      {"/no/such/place", branch},
		"not a git URL":      {"ext::sh -c true", branch},
		"use letters":        {src, "--all"},
		"push dispatch/none": {src, "dispatch/none"},
		"GH_TOKEN":           {"https://me:hunter2@example.org/x", branch},
	} {
		err := Push(t.Context(), dir, args[0], args[1], PrepareOptions{})
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: %v", args, err)
		}
	}
	if got := gitOutput(t, src, "rev-parse", branch); got != one {
		t.Errorf("the source lost its commit for %s", got)
	}
}
