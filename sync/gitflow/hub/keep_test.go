package hub

import (
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// TestKeptMessagesAreCleaned: no ref that stays keeps a commit message with a secret. The commits' files, and commits
// without the secret, are kept as they are.
func TestKeptMessagesAreCleaned(t *testing.T) {
	const secret = "sk-ant-0123456789"
	c := enlist(t, Options{Clean: func(s string) string { return strings.ReplaceAll(s, secret, "[secret]") }})
	dir := c.ship.dir
	commit := func(file, message string) string {
		t.Helper()
		put(t, dir, file, file+"\n")
		gitOutput(t, dir, "add", "-A")
		gitOutput(t, dir, "-c", "user.name=A "+message, "commit", "-q", "-m", message, "-m", "about\n\n  "+message)
		return gitOutput(t, dir, "rev-parse", "HEAD")
	}
	clean := func(when string, want ...string) {
		t.Helper()
		said := gitOutput(t, c.dir, "log", "--all", "--format=%an%n%cn%n%B")
		if strings.Contains(said, secret) {
			t.Errorf("%s, refs say\n%s", when, said)
		}
		for _, w := range want {
			if !strings.Contains(said, w) {
				t.Errorf("%s, %q is missing in\n%s", when, w, said)
			}
		}
	}
	before := commit("one.txt", "first")
	commit("two.txt", "with "+secret)
	commit("three.txt", "third")
	order := sync.Merge{Name: "ship-1", Subject: "work", Author: "E <e@e>", Keep: "refs/ocaptain/tasks/1"}
	if _, err := c.h.Merge(t.Context(), c.ship, order); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, c.dir, "log", "--format=%s", order.Keep, "^voyage"); !strings.HasSuffix(got, "third\nwith [secret]\nfirst") {
		t.Errorf("kept %q", got)
	}
	if tip := gitOutput(t, c.dir, "rev-parse", order.Keep+"~3"); tip != before {
		t.Errorf("what comes before it is %s, not %s", tip, before)
	}
	if changes := gitOutput(t, c.dir, "diff", "--name-only", "voyage", order.Keep); changes != "" {
		t.Errorf("kept with other files: %s", changes)
	}
	c.checkout()
	clean("merged", "first", "with [secret]", "  with [secret]")

	gitOutput(t, dir, "checkout", "-q", "-b", "aside")
	commit("four.txt", "aside "+secret)
	gitOutput(t, dir, "checkout", "-q", "-")
	commit("five.txt", "last "+secret)
	if _, err := c.h.Snapshot(t.Context(), c.ship, "ship-1"); err != nil {
		t.Fatal(err)
	}
	if refs, _, err := c.h.Beside(t.Context(), c.ship, "ship-1"); err != nil || len(refs) != 1 {
		t.Fatalf("brought home %q, %v", refs, err)
	}
	l, err := c.h.Park(t.Context(), "ship-1")
	if err != nil || l.Ref == "" {
		t.Fatalf("parked %+v, %v", l, err)
	}
	clean("parked", "aside [secret]", "last [secret]")
	for _, ref := range []string{l.Ref, git.RefLive + "ship-1"} {
		if got := gitOutput(t, c.dir, "show", ref+":five.txt"); got != "five.txt" {
			t.Errorf("%s has %q", ref, got)
		}
	}
	if again, err := c.h.Park(t.Context(), "ship-1"); err != nil || again.Ref != l.Ref {
		t.Errorf("parked again on %s, %v", again.Ref, err)
	}
	// The ship merges again, on top of commits that the hub has replaced by cleaned copies.
	put(t, dir, "six.txt", "six\n")
	order.Keep = "refs/ocaptain/tasks/2"
	if _, err := c.h.Merge(t.Context(), c.ship, order); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, c.dir, "show", "voyage:six.txt"); got != "six" {
		t.Errorf("merged %q", got)
	}
}
