package origin_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/synctest"
)

func TestPush(t *testing.T) {
	src := filepath.Join(t.TempDir(), "origin.git")
	synctest.Git(t, t.TempDir(), "init", "-q", "--bare", src)
	dir := filepath.Join(t.TempDir(), "workspace")
	start, err := origin.Prepare(t.Context(), dir, "", "voyage", origin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	commit := func(parent, message string) string {
		return synctest.Git(t, dir, "-c", "user.name=x", "-c", "user.email=x@y", "commit-tree", "-m", message, "-p", parent, parent+"^{tree}")
	}
	const branch = "dispatch/kite-2-7"
	one := commit(start, "one")
	synctest.Git(t, dir, "update-ref", "refs/heads/"+branch, one)
	hook := filepath.Join(dir, ".git", "hooks", "pre-push")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ntouch hooked\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := origin.Push(t.Context(), dir, src, branch, branch, origin.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := synctest.Git(t, src, "for-each-ref", "--format=%(objectname) %(refname)"); got != one+" refs/heads/"+branch {
		t.Errorf("the source has %s", got)
	}
	if exists(filepath.Join(dir, "hooked")) {
		t.Error("a hook ran")
	}
	synctest.Git(t, dir, "update-ref", "refs/heads/"+branch, commit(start, "other"))
	for says, args := range map[string][2]string{
		"has other work":     {src, branch},
		"no/such/place":      {"/no/such/place", branch},
		"not a git URL":      {"ext::sh -c true", branch},
		"use letters":        {src, "--all"},
		"push dispatch/none": {src, "dispatch/none"},
		"GH_TOKEN":           {"https://me:hunter2@example.org/x", branch},
	} {
		err := origin.Push(t.Context(), dir, args[0], args[1], args[1], origin.Options{})
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: %v", args, err)
		}
	}
	if got := synctest.Git(t, src, "rev-parse", branch); got != one {
		t.Errorf("the source lost its commit for %s", got)
	}
}

// TestPushFree: the branch of a new pool that counts from 1 again, or of another captain, gets a new name at the source. Work that is
// pushed again keeps its name.
func TestPushFree(t *testing.T) {
	src := filepath.Join(t.TempDir(), "origin.git")
	synctest.Git(t, t.TempDir(), "init", "-q", "--bare", src)
	const branch = "dispatch/kite-1-1"
	for i, want := range []string{branch, branch + "-2", branch + "-3"} {
		dir := filepath.Join(t.TempDir(), "workspace")
		start, err := origin.Prepare(t.Context(), dir, "", "voyage", origin.Options{})
		if err != nil {
			t.Fatal(err)
		}
		work := synctest.Git(t, dir, "-c", "user.name=x", "-c", "user.email=x@y", "commit-tree", "-m", want, "-p", start, start+"^{tree}")
		synctest.Git(t, dir, "update-ref", "refs/heads/"+branch, work)
		for range 2 {
			if as, err := origin.PushFree(t.Context(), dir, src, branch, origin.Options{}); as != want || err != nil {
				t.Errorf("captain %d: %q, %v", i, as, err)
			}
		}
		if got := synctest.Git(t, src, "rev-parse", want); got != work {
			t.Errorf("captain %d: the source has %s for %s", i, got, work)
		}
	}
}

// TestPushIsForbidden: the error differs between a repository that rejects every branch and a name that is taken.
func TestPushIsForbidden(t *testing.T) {
	src := filepath.Join(t.TempDir(), "origin.git")
	synctest.Git(t, t.TempDir(), "init", "-q", "--bare", src)
	if err := os.WriteFile(filepath.Join(src, "hooks", "pre-receive"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "workspace")
	if _, err := origin.Prepare(t.Context(), dir, "", "voyage", origin.Options{}); err != nil {
		t.Fatal(err)
	}
	var refused *origin.RefusedPush
	if _, err := origin.PushFree(t.Context(), dir, src, "voyage", origin.Options{}); !errors.As(err, &refused) || refused.Taken || !strings.Contains(err.Error(), "hook declined") {
		t.Errorf("got %v", err)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
