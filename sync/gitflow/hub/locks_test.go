package hub

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// TestLeftLocks puts lock files of dead git processes into the hub's repository, while the hub runs and before it
// starts. The hub must merge, and remove the locks.
func TestLeftLocks(t *testing.T) {
	for _, lock := range []string{
		"index.lock", "HEAD.lock", "packed-refs.lock", "packed-refs.new", "refs/heads/voyage.lock", "config.lock", "shallow.lock",
		git.RefLive + "ship-1.lock", git.RefHome + "ship-1.lock", git.RefBase + "ship-1.lock", git.RefMarked + "ship-1.lock", git.RefPending + ".lock",
	} {
		for _, reopen := range []bool{false, true} {
			t.Run(filepath.Base(filepath.Dir(lock))+" "+filepath.Base(lock)+map[bool]string{true: ", a new hub"}[reopen], func(t *testing.T) {
				t.Parallel()
				c := enlist(t, Options{})
				put(t, c.ship.dir, "a.txt", "ship's\n")
				put(t, c.dir, ".git/"+lock, "")
				long := time.Now().Add(-time.Hour)
				if err := os.Chtimes(filepath.Join(c.dir, ".git", lock), long, long); err != nil {
					t.Fatal(err)
				}
				if reopen {
					c.reopen()
				}
				if err := c.merge(); err != nil {
					t.Fatal(err)
				}
				content(t, c.dir, "a.txt", "ship's\n")
				c.checkout()
			})
		}
	}
}

// TestHeldLock has a running program hold a lock in the captain's repository: the hub leaves the lock alone, the
// merge's error names it, and a merge after the program's end succeeds.
func TestHeldLock(t *testing.T) {
	for _, lock := range []string{"index.lock", "refs/heads/voyage.lock"} {
		t.Run(filepath.Base(lock), func(t *testing.T) {
			t.Parallel()
			c := enlist(t, Options{})
			put(t, c.ship.dir, "a.txt", "ship's\n")
			name := filepath.Join(c.dir, ".git", lock)
			holder := exec.Command("sh", "-c", "exec 5>"+name+"; touch -d '1 hour ago' "+name+"; echo; read line")
			in, err := holder.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := holder.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := holder.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			var h *sync.Hindered
			if err := c.merge(); !errors.As(err, &h) || len(h.Paths) > 0 {
				t.Fatalf("want what hinders it, have %v", err)
			}
			if _, err := os.Stat(name); err != nil {
				t.Fatal("the lock was taken away: ", err)
			}
			if err := c.h.Workspace.Free(t.Context()); !errors.As(err, &h) {
				t.Fatalf("want what hinders it, have %v", err)
			}
			in.Close()
			if err := holder.Wait(); err != nil && holder.ProcessState.ExitCode() < 0 {
				t.Fatal(err)
			}
			if err := errors.Join(c.h.Workspace.Free(t.Context()), c.merge()); err != nil {
				t.Fatal(err)
			}
			content(t, c.dir, "a.txt", "ship's\n")
		})
	}
}

// TestInTheWay has an ignored file of the captain's at a path that the work adds: the hub keeps the file, and the
// error names it.
func TestInTheWay(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.dir, ".git/info/exclude", "secret\n")
	put(t, c.dir, "secret", "captain's\n")
	put(t, c.ship.dir, "secret", "ship's\n")
	gitOutput(t, c.ship.dir, "add", "-f", "secret")
	var h *sync.Hindered
	if err := c.merge(); !errors.As(err, &h) || len(h.Paths) != 1 || h.Paths[0] != "secret" {
		t.Fatalf("want the file that is in the way, have %v", err)
	}
	content(t, c.dir, "secret", "captain's\n")
	if err := os.Remove(filepath.Join(c.dir, "secret")); err != nil {
		t.Fatal(err)
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	content(t, c.dir, "secret", "ship's\n")
}
