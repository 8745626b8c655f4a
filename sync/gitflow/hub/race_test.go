package hub

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"ocaptain/sync"
)

// second returns a crew of the same hub with another remote.
func (c *crew) second(name string) *crew {
	c.Helper()
	s := direct{filepath.Join(c.TempDir(), "workspace")}
	if _, err := c.h.Checkout(c.Context(), s, name, ""); err != nil {
		c.Fatal(err)
	}
	return &crew{c.TB, c.h, c.dir, s}
}

// give writes a file in the ship's tree and merges it.
func (c *crew) give(name, file, text string) error {
	put(c, c.ship.dir, file, text)
	_, err := c.h.Merge(c.Context(), c.ship, sync.Merge{Name: name, Subject: file, Author: "E <e@e>"})
	return err
}

// TestKilledWhileJudged kills a hub during a merge's check: the branch is as before, and the next hub can merge.
func TestKilledWhileJudged(t *testing.T) {
	c := enlist(t, Options{})
	c.checkout()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	head := gitOutput(t, c.dir, "rev-parse", "HEAD")
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), hubVar+"="+c.dir+":"+c.ship.dir, judgeVar+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "judged" {
		t.Fatalf("the hub says %q", lines.Text())
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	h, err := Open(t.Context(), c.dir, "voyage", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if gitOutput(t, c.dir, "rev-parse", "HEAD") != head || gitOutput(t, c.dir, "status", "--porcelain") != "" {
		t.Fatal("a merge that was never judged to the end is in")
	}
	c.h = h
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if gitOutput(t, c.dir, "rev-parse", "HEAD^") != head {
		t.Fatal("the work came in more than once")
	}
}
