package origin_test

import (
	"os"
	"path/filepath"
	"strings"
	stdsync "sync"
	"testing"
	"time"

	"ocaptain/sync/gitflow/hub"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/synctest"
)

// goneOn returns a clone of a source that has new commits since.
func goneOn(t *testing.T) (dir, src, old string) {
	t.Helper()
	src, dir = newSource(t), filepath.Join(t.TempDir(), "workspace")
	old, err := origin.Prepare(t.Context(), dir, src, "voyage", origin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Git(t, src, "checkout", "-q", "-b", "feature")
	synctest.Put(t, src, "a.txt", "feature\n")
	synctest.Git(t, src, "commit", "-q", "-am", "feature")
	synctest.Git(t, src, "tag", "-a", "-m", "noted", "v2")
	synctest.Git(t, src, "checkout", "-q", "main")
	synctest.Put(t, src, "a.txt", "three\n")
	synctest.Git(t, src, "commit", "-q", "-am", "three")
	return dir, src, old
}

// TestFetch: Fetch returns the source's current commit for each name, and changes nothing else in the clone.
func TestFetch(t *testing.T) {
	dir, src, old := goneOn(t)
	rev := func(name string) string { return synctest.Git(t, src, "rev-parse", name+"^{commit}") }
	for _, hook := range []string{"reference-transaction", "post-merge"} {
		synctest.Put(t, dir, ".git/hooks/"+hook, "#!/bin/sh\ntouch "+dir+"/hooked\n")
		if err := os.Chmod(filepath.Join(dir, ".git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Git(t, os.Getenv("HOME"), "config", "--global", "fetch.prune", "true")
	defer synctest.Git(t, os.Getenv("HOME"), "config", "--global", "--remove-section", "fetch")
	others := func() string {
		return synctest.Git(t, dir, "for-each-ref", "refs/heads", "refs/remotes", "refs/tags") + synctest.Git(t, dir, "status", "--porcelain", "--branch")
	}
	before := others()
	for from, want := range map[string]string{
		"": rev("main"), "main": rev("main"), "feature": rev("feature"), "v1": rev("v1"), "v2": rev("feature"),
		rev("main~1"): rev("main~1"),
	} {
		for range 2 {
			got, err := origin.Fetch(t.Context(), dir, src, from, origin.Options{})
			if err != nil || got != want {
				t.Errorf("from %q: %q, %v; want %s", from, got, err, want)
			}
		}
		if got := synctest.Git(t, dir, "rev-parse", "refs/ocaptain/from/"+want); got != want {
			t.Errorf("from %q is kept as %s", from, got)
		}
	}
	if after := others(); after != before {
		t.Errorf("other refs are now\n%s\nthey were\n%s", after, before)
	}
	if exists(filepath.Join(dir, "hooked")) || exists(filepath.Join(dir, ".git/FETCH_HEAD")) {
		t.Error("a hook ran, or a trace was left")
	}
	// gc keeps the commit, and a remote tree can check it out.
	synctest.Git(t, dir, "gc", "-q", "--prune=now")
	h, err := hub.Open(t.Context(), dir, "voyage", hub.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	s := direct{filepath.Join(t.TempDir(), "workspace")}
	if _, err := h.Checkout(t.Context(), s, "ship-0", rev("feature")); err != nil {
		t.Fatal(err)
	}
	synctest.Has(t, s.dir, "a.txt", "feature\n")
	if head, err := h.Head(t.Context()); err != nil || head != old {
		t.Errorf("the branch is at %s, %v", head, err)
	}
	// A hub that was open before can check out a new commit of the source.
	synctest.Put(t, src, "a.txt", "four\n")
	synctest.Git(t, src, "commit", "-q", "-am", "four")
	got, err := origin.Fetch(t.Context(), dir, src, "", origin.Options{})
	if err != nil || got != rev("main") {
		t.Fatalf("%s, %v", got, err)
	}
	if _, err := h.Checkout(t.Context(), s, "ship-0", got); err != nil {
		t.Fatal(err)
	}
	synctest.Has(t, s.dir, "a.txt", "four\n")
}

// TestFetchOwn: Fetch takes a branch below dispatch/ from the clone, and any other branch from the source.
func TestFetchOwn(t *testing.T) {
	dir, src, old := goneOn(t)
	synctest.Git(t, dir, "branch", "dispatch/kite-2-7", old)
	synctest.Git(t, dir, "branch", "feature", old)
	synctest.Git(t, src, "branch", "dispatch/kite-2-8", "feature")
	theirs := synctest.Git(t, src, "rev-parse", "feature")
	if got, err := origin.Fetch(t.Context(), dir, "/no/such/place", "dispatch/kite-2-7", origin.Options{}); err != nil || got != old {
		t.Errorf("%s, %v", got, err)
	}
	if got := synctest.Git(t, dir, "rev-parse", "refs/ocaptain/from/"+old); got != old {
		t.Errorf("kept as %s", got)
	}
	for _, from := range []string{"feature", "dispatch/kite-2-8"} {
		if got, err := origin.Fetch(t.Context(), dir, src, from, origin.Options{}); err != nil || got != theirs {
			t.Errorf("from %s: %s, %v; want %s", from, got, err, theirs)
		}
	}
}

func TestFetchRefuses(t *testing.T) {
	dir, src, _ := goneOn(t)
	bare := t.TempDir()
	synctest.Git(t, bare, "init", "-q", "-b", "main")
	headless := newSource(t)
	synctest.Git(t, headless, "symbolic-ref", "HEAD", "refs/heads/nowhere")
	file := synctest.Git(t, src, "rev-parse", "main:a.txt")
	synctest.Git(t, src, "tag", "file", file)
	for name, c := range map[string]struct{ source, from, names, says string }{
		"branch":     {src, "nowhere", "nowhere", "no such branch or tag: name one"},
		"glob":       {src, "mai*", "mai*", "no such branch or tag: name one"},
		"own":        {src, "dispatch/kite-2-7", "dispatch/kite-2-7", "no such branch or tag: name one"},
		"short":      {src, synctest.Git(t, src, "rev-parse", "--short", "main"), "start", "the whole name of a commit"},
		"commit":     {src, strings.Repeat("12", 20), strings.Repeat("12", 20), "no such commit"},
		"option":     {src, "--upload-pack=true", "--upload-pack=true", "not a branch, a tag or a commit"},
		"file":       {src, "file", "file", "not a commit"},
		"password":   {"https://me:hunter2@example.org/x", "", "", "GH_TOKEN"},
		"command":    {"ext::sh -c true", "", "", "not a git URL"},
		"missing":    {"/no/such/place", "", "/no/such/place", "check the address"},
		"empty main": {bare, "main", bare, "no commit yet"},
		"headless":   {headless, "", headless, "name a branch"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := origin.Fetch(t.Context(), dir, c.source, c.from, origin.Options{})
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.names) || strings.Contains(err.Error(), "hunter2") {
				t.Fatalf("%v", err)
			}
			if left := synctest.Git(t, dir, "for-each-ref", "refs/ocaptain/from"); left != "" {
				t.Fatalf("left %s", left)
			}
		})
	}
	if start, err := origin.Fetch(t.Context(), dir, bare, "", origin.Options{}); err != nil || start != synctest.Git(t, dir, "rev-parse", "refs/ocaptain/start") {
		t.Errorf("of an empty source it brought %s, %v", start, err)
	}
	if _, err := origin.Fetch(t.Context(), t.TempDir(), src, "", origin.Options{}); err == nil {
		t.Error("fetched into what is no clone")
	}
}

// TestFetchShallow fetches new commits from a shallow source.
func TestFetchShallow(t *testing.T) {
	room := t.TempDir()
	synctest.Git(t, room, "clone", "-q", "--depth=1", "file://"+newSource(t), "s")
	src, dir := filepath.Join(room, "s"), filepath.Join(room, "workspace")
	if _, err := origin.Prepare(t.Context(), dir, src, "voyage", origin.Options{}); err != nil {
		t.Fatal(err)
	}
	synctest.Git(t, src, "commit", "-q", "--allow-empty", "-m", "next")
	if got, err := origin.Fetch(t.Context(), dir, src, "", origin.Options{}); err != nil || got != synctest.Git(t, src, "rev-parse", "HEAD") {
		t.Fatalf("%s, %v", got, err)
	}
}

// TestFetchAfterKill fetches although a killed git left a lock on the ref.
func TestFetchAfterKill(t *testing.T) {
	dir, src, _ := goneOn(t)
	want := synctest.Git(t, src, "rev-parse", "main")
	lock := ".git/refs/ocaptain/from/" + want + ".lock"
	synctest.Put(t, dir, lock, "")
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(filepath.Join(dir, lock), old, old); err != nil {
		t.Fatal(err)
	}
	if got, err := origin.Fetch(t.Context(), dir, src, "main", origin.Options{}); err != nil || got != want {
		t.Fatalf("%s, %v", got, err)
	}
}

// TestFetchTogether makes concurrent calls of Fetch for the same and for different commits.
func TestFetchTogether(t *testing.T) {
	dir, src, _ := goneOn(t)
	want := synctest.Git(t, src, "rev-parse", "main")
	// A lock of another process that makes the same ref.
	lock := filepath.Join(dir, ".git/refs/ocaptain/from", want+".lock")
	synctest.Put(t, filepath.Dir(lock), filepath.Base(lock), "")
	defer time.AfterFunc(time.Second, func() { os.Remove(lock) }).Stop()
	var all stdsync.WaitGroup
	for n := range 8 {
		from := []string{"main", "feature", "", want}[n%4]
		all.Go(func() {
			if got, err := origin.Fetch(t.Context(), dir, src, from, origin.Options{}); err != nil || from != "feature" && got != want {
				t.Errorf("from %q: %s, %v", from, got, err)
			}
		})
	}
	all.Wait()
	synctest.Git(t, dir, "fsck", "--connectivity-only")
}
