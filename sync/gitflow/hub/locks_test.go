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

// TestLeftLocks has gits that died leave locks of all kinds at the hub, while it runs and before it starts: the work
// comes home, and none of them stays in the way.
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

// TestHeldLock has a program that lives hold a lock of the captain's: it is left alone, the merge says what hinders it, and
// works when the lock is gone.
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

// TestInTheWay has a file of the captain's that git does not know stand where the work has one: it is kept, and named.
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
