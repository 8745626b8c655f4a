package upstream_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/synctest"
)

const (
	draftRef = "refs/ocaptain/voyage-1/draft/7-1"
	gotRef   = "refs/ocaptain/reviews/7/work"
)

// seal stands in for a function whose secret only hubs have.
func seal(text string) string { return "sealed-" + text[:8] }

// drafted has the hub's ship work on a task, and returns a draft of the work.
func (c *clone) drafted() string {
	c.Helper()
	if _, err := c.Checkout(c.Context(), c.ship, c.name, ""); err != nil {
		c.Fatal(err)
	}
	if none, err := c.Draft(c.Context(), c.name, "draft", seal); none != "" || err != nil {
		c.Fatalf("before any work there is a draft %s, %v", none, err)
	}
	synctest.Put(c.T, c.ship.dir, "one", "committed by the agent\n")
	synctest.Git(c.T, c.ship.dir, "add", "one")
	synctest.Git(c.T, c.ship.dir, "commit", "-q", "-m", "by the agent")
	synctest.Put(c.T, c.ship.dir, "two", "not committed\n")
	if _, err := c.Snapshot(c.Context(), c.ship, c.name); err != nil {
		c.Fatal(err)
	}
	made, err := c.Draft(c.Context(), c.name, "draft", seal)
	if err != nil {
		c.Fatal(err)
	}
	return made
}

// TestDraft has a hub share a draft of its ship's work, and puts the draft into the tree of another hub's ship.
func TestDraft(t *testing.T) {
	shared := newRepository(t)
	a, b := newClone(t, "a", shared), newClone(t, "b", shared)
	draft := a.drafted()
	if again, err := a.Draft(t.Context(), a.name, "draft", seal); again != draft || err != nil {
		t.Errorf("the same work makes the drafts %s and %s, %v", draft, again, err)
	}
	if n, err := a.Upstream.Size(t.Context(), draft); n < 100 || n > 1000 || err != nil {
		t.Errorf("the draft has %d bytes, %v", n, err)
	}
	if text := synctest.Git(t, a.dir, "log", "--format=%s", draft, "--not", "main"); text != "draft" {
		t.Errorf("the draft has the commits %q", text)
	}
	if err := a.Upstream.Share(t.Context(), map[string]string{draftRef: draft, draftRef + "0": draft}); err != nil {
		t.Fatal(err)
	}
	if has, err := b.Upstream.Shared(t.Context(), draftRef); len(has) != 2 || has[draftRef] != draft || err != nil {
		t.Errorf("shared are %v, %v", has, err)
	}
	if made, err := b.GetDraft(t.Context(), draft, gotRef, seal); !made || err != nil {
		t.Fatalf("the draft of another hub: %t, %v", made, err)
	}
	if made, err := b.GetDraft(t.Context(), draft, gotRef, strings.ToUpper); made || err != nil {
		t.Errorf("the draft has a wrong seal: %t, %v", made, err)
	}
	if _, err := b.Checkout(t.Context(), b.ship, b.name, ""); err != nil {
		t.Fatal(err)
	}
	if clash, err := b.PutBack(t.Context(), b.ship, b.name, draft); clash != nil || err != nil {
		t.Fatal(clash, err)
	}
	synctest.Has(t, b.ship.dir, "one", "committed by the agent\n")
	synctest.Has(t, b.ship.dir, "two", "not committed\n")

	synctest.Put(t, a.ship.dir, "CLAUDE.md", "do as I say\n")
	if _, err := a.Snapshot(t.Context(), a.ship, a.name); err != nil {
		t.Fatal(err)
	}
	made, err := a.Draft(t.Context(), a.name, "draft", seal)
	if no, ok := errors.AsType[*sync.Refused](err); !ok || made != "" || !strings.Contains(no.Error(), "CLAUDE.md") {
		t.Errorf("of work that steers agents there is a draft %s, %v", made, err)
	}

	if err := a.Upstream.Share(t.Context(), map[string]string{draftRef: "", draftRef + "0": "", draftRef + "1": ""}); err != nil {
		t.Fatal(err)
	}
	if has, err := a.Upstream.Shared(t.Context(), "refs/ocaptain/"); len(has) != 0 || err != nil {
		t.Errorf("after their removal there are %v, %v", has, err)
	}
}

// TestGetWork: GetWork refuses a commit that a hub would refuse from a ship. Its error is a *sync.Hindered if the
// shared repository does not answer, but not if the commit is gone there.
func TestGetWork(t *testing.T) {
	shared := newRepository(t)
	a, b := newClone(t, "a", shared), newClone(t, "b", shared)
	stranger := filepath.Join(t.TempDir(), "stranger")
	synctest.Git(t, "/", "clone", "-q", shared, stranger)
	synctest.Git(t, stranger, "update-index", "--add", "--cacheinfo", "160000,"+synctest.Git(t, stranger, "rev-parse", "main")+",module")
	synctest.Git(t, stranger, "commit", "-q", "-m", "a submodule")
	synctest.Git(t, stranger, "push", "-q", "origin", "HEAD:"+draftRef)
	for range 2 { // the second time, the clone has the commit
		_, err := b.GetDraft(t.Context(), synctest.Git(t, stranger, "rev-parse", "HEAD"), gotRef, seal)
		if _, ok := errors.AsType[*sync.Refused](err); !ok {
			t.Errorf("a submodule: %v", err)
		}
	}
	gone := a.drafted()
	err := b.GetWork(t.Context(), gone, gotRef)
	if _, ok := errors.AsType[*sync.Hindered](err); ok || err == nil {
		t.Errorf("a commit that no hub shared: %v", err)
	}
	if err := os.Rename(shared, shared+".away"); err != nil {
		t.Fatal(err)
	}
	err = b.GetWork(t.Context(), gone, gotRef)
	if _, ok := errors.AsType[*sync.Hindered](err); !ok {
		t.Errorf("the repository is away: %v", err)
	}
}
