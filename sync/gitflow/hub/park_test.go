package hub

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/park"
)

// TestPark: Park keeps the work of a tree that is gone, once, and returns it as a patch. It does not keep work that
// was merged or parked before.
func TestPark(t *testing.T) {
	c := enlist(t, Options{})
	gitOutput(t, c.dir, "config", "diff.noprefix", "true")
	snapshot := func() {
		t.Helper()
		if _, err := c.h.Snapshot(t.Context(), c.ship, "ship-1"); err != nil {
			t.Fatal(err)
		}
	}
	park := func(want string) Leftover {
		t.Helper()
		l, err := c.h.Park(t.Context(), "ship-1")
		if err != nil {
			t.Fatal(err)
		}
		if (l.Ref != "") != (want != "") || !strings.Contains(string(l.Patch), want) || want == "" && l.Patch != nil {
			t.Fatalf("parked %q with %q, want %q", l.Ref, l.Patch, want)
		}
		return l
	}
	park("") // the hub has no snapshot yet
	snapshot()
	park("") // the snapshot has no changes

	put(t, c.ship.dir, "b.txt", "half\n")
	put(t, c.ship.dir, "a.txt", "a\x00binary\n")
	snapshot()
	l := park("half")
	if got := gitOutput(t, c.dir, "show", l.Ref+":b.txt"); got != "half" {
		t.Errorf("the ref has %q", got)
	}
	if again := park("half"); again.Ref != l.Ref {
		t.Errorf("parked again on %s", again.Ref)
	}
	// The patch applies to a fresh tree.
	other := filepath.Join(t.TempDir(), "workspace")
	if k, err := c.h.Checkout(t.Context(), direct{other}, "ship-1", ""); err != nil || k.Parked != "" {
		t.Fatalf("%+v, %v", k, err)
	}
	patch := filepath.Join(t.TempDir(), "patch")
	if err := os.WriteFile(patch, l.Patch, 0o600); err != nil {
		t.Fatal(err)
	}
	gitOutput(t, other, "apply", "--3way", patch)
	if raw, err := os.ReadFile(filepath.Join(other, "a.txt")); err != nil || string(raw) != "a\x00binary\n" {
		t.Errorf("applied: %q, %v", raw, err)
	}
	c.ship.dir = other
	snapshot()
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	park("") // all of it is merged
	c.checkout()
	park("") // the snapshot is older than the checkout
	put(t, c.ship.dir, "c.txt", "more\n")
	snapshot()

	again, err := Open(t.Context(), c.dir, "voyage", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	c.h = again // a new hub parks too
	if l := park("more"); strings.Contains(string(l.Patch), "half") {
		t.Errorf("merged work is in the patch: %s", l.Patch)
	}
}

// TestParkedWithoutEnd: the hub keeps at most park.Most parked refs of a remote. Further unmerged work stays in the
// remote's repository.
func TestParkedWithoutEnd(t *testing.T) {
	c := enlist(t, Options{})
	head := gitOutput(t, c.dir, "rev-parse", "HEAD")
	var lines strings.Builder
	for i := range park.Most {
		fmt.Fprintf(&lines, "update %sship-1/%d %s\n", git.RefParked, i, head)
	}
	if err := c.h.repo.Stream(t.Context(), strings.NewReader(lines.String()), nil, "update-ref", "--stdin"); err != nil {
		t.Fatal(err)
	}
	count := func() int { return strings.Count(gitOutput(t, c.dir, "for-each-ref", git.RefParked), "\n") + 1 }

	gitOutput(t, c.ship.dir, "checkout", "-q", "-b", "other")
	put(t, c.ship.dir, "b.txt", "beside\n")
	gitOutput(t, c.ship.dir, "add", "-A")
	gitOutput(t, c.ship.dir, "commit", "-q", "-m", "beside")
	gitOutput(t, c.ship.dir, "checkout", "-q", "-")
	if _, err := c.h.Snapshot(t.Context(), c.ship, "ship-1"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.h.Beside(t.Context(), c.ship, "ship-1"); err == nil || !strings.Contains(err.Error(), "takes no more") {
		t.Errorf("branches: %v", err)
	}
	put(t, c.ship.dir, "c.txt", "half\n")
	k := c.checkout()
	if !strings.Contains(strings.Join(k.Notes, "\n"), "takes no more") || k.Parked != "" {
		t.Errorf("leftovers: %+v", k)
	}
	if n := count(); n != park.Most {
		t.Errorf("%d refs", n)
	}
	if left := gitOutput(t, c.ship.dir, "for-each-ref", git.ShipParked); left == "" {
		t.Error("what was not taken is gone")
	}
	// After a ref is deleted, the next checkout brings the work.
	gitOutput(t, c.dir, "update-ref", "-d", git.RefParked+"ship-1/7")
	if k := c.checkout(); count() != park.Most {
		t.Errorf("not taken: %+v", k)
	}
}
