package hub

import (
	"errors"
	"fmt"
	"testing"

	"ocaptain/sync"
)

// lands merges one file of a ship, and returns the commit.
func (c *crew) lands(file, text string) string {
	c.Helper()
	c.checkout()
	put(c, c.ship.dir, file, text)
	m, err := c.h.Merge(c.Context(), c.ship, c.order())
	if err != nil {
		c.Fatal(err)
	}
	return m.Commit
}

// What a commit changed is taken back, also below others that changed other lines of the same files. Where they changed the same lines it is
// a conflict, nothing changes, and the first of them is named.
func TestRevert(t *testing.T) {
	c := enlist(t, Options{})
	const text = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"
	first := c.lands("list", text)
	second := c.lands("list", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	third := c.lands("list", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	c.lands("other", "x")

	files, since, err := c.h.Since(t.Context(), second)
	if err != nil || fmt.Sprint(files) != "[list]" || len(since) != 1 || since[0].Commit != third || len(since[0].Lines) > 0 {
		t.Errorf("since the second: %v, %+v, %v", files, since, err)
	}
	if _, since, err = c.h.Since(t.Context(), first); err != nil || len(since) != 2 || since[1].Commit != second || fmt.Sprint(since[1].Lines) != "[list]" || len(since[0].Lines) > 0 {
		t.Errorf("since the first: %+v, %v", since, err)
	}

	head := gitOutput(t, c.dir, "rev-parse", "voyage")
	var clash *sync.Conflict
	if _, err := c.h.Revert(t.Context(), first, c.order()); !errors.As(err, &clash) || fmt.Sprint(clash.Paths) != "[list]" || gitOutput(t, c.dir, "rev-parse", "voyage") != head {
		t.Errorf("the first: %v", err)
	}
	m, err := c.h.Revert(t.Context(), second, c.order())
	if err != nil || m.Changed != 1 || gitOutput(t, c.dir, "rev-list", head+"..voyage") != m.Commit {
		t.Fatalf("%+v, %v", m, err)
	}
	content(t, c.dir, "list", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
	if m, err := c.h.Revert(t.Context(), second, c.order()); err != nil || m.Changed != 0 {
		t.Errorf("once more: %+v, %v", m, err)
	}
	if dirt := gitOutput(t, c.dir, "status", "--porcelain"); dirt != "" {
		t.Error(dirt)
	}
}

// TestRevertKilled kills git at each moment of a revert. The same call then takes the work back once.
func TestRevertKilled(t *testing.T) {
	c := enlist(t, Options{})
	kill := c.killer(t)
	for n := 1; ; n += stride {
		file := fmt.Sprint("file ", n)
		commit := c.lands(file, "x")
		head := gitOutput(t, c.dir, "rev-parse", "voyage")
		kill(fmt.Sprint(n))
		_, err := c.h.Revert(t.Context(), commit, c.order())
		kill("")
		if err == nil {
			t.Logf("%d moments", n-1)
			break
		}
		if n >= 80 {
			t.Fatal(err)
		}
		c.reopen()
		if m, err := c.h.Revert(t.Context(), commit, c.order()); err != nil || gitOutput(t, c.dir, "rev-list", head+"..voyage") != m.Commit {
			t.Fatalf("moment %d: %+v, %v", n, m, err)
		}
		if gitOutput(t, c.dir, "ls-files", file) != "" {
			t.Fatalf("moment %d: %s is there", n, file)
		}
		if dirt := gitOutput(t, c.dir, "status", "--porcelain"); dirt != "" {
			t.Fatalf("moment %d: %s", n, dirt)
		}
	}
}
