package hub

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/wire"
)

// cutoff is a remote whose next request with verb fails, before or after the remote carries it out.
type cutoff struct {
	direct
	verb   string
	before func() error
	after  func() error
}

func (c *cutoff) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if args[0] != c.verb {
		return c.direct.Tree(ctx, args, stdin, stdout)
	}
	c.verb = ""
	if c.before != nil {
		return c.before()
	}
	if err := c.direct.Tree(ctx, args, stdin, io.Discard); err != nil {
		return err
	}
	return c.after()
}

var errCut = errors.New("the link was cut")

// TestMarkCutShort cuts a conflicting merge short just before or after the remote gets the markers, in several ways,
// and goes on with the same hub or a new one. No merge may include markers, and the agent must learn of the conflict
// before a side of it is dropped.
func TestMarkCutShort(t *testing.T) {
	fail := func() error { return errCut }
	for name, cut := range map[string]func(c *crew, gone string) *cutoff{
		"before": func(c *crew, _ string) *cutoff { return &cutoff{direct: c.ship, verb: wire.VerbMark, before: fail} },
		"after":  func(c *crew, _ string) *cutoff { return &cutoff{direct: c.ship, verb: wire.VerbMark, after: fail} },
		"voyage away": func(c *crew, gone string) *cutoff {
			return &cutoff{direct: c.ship, verb: wire.VerbMark, after: func() error { return errors.Join(errCut, os.Rename(c.dir, gone)) }}
		},
		"refs refuse": func(c *crew, _ string) *cutoff {
			return &cutoff{direct: c.ship, verb: wire.VerbMark, after: func() error {
				for _, ref := range []string{git.RefBase, git.RefMarked, git.RefLive} {
					put(c, c.dir, ".git/"+ref+"ship-1.lock", "")
				}
				return errCut
			}}
		},
	} {
		for _, reopen := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", a new hub"}[reopen], func(t *testing.T) {
				t.Parallel()
				c := conflicting(t)
				gone := filepath.Join(t.TempDir(), "away")
				_, err := c.h.Merge(t.Context(), cut(c, gone), c.order())
				var away *sync.Hindered
				if !errors.Is(err, errCut) && (!errors.As(err, &away) || name != "voyage away") {
					t.Fatal(err)
				}
				if _, err := os.Stat(gone); err == nil {
					if err := os.Rename(gone, c.dir); err != nil {
						t.Fatal(err)
					}
				}
				for _, ref := range []string{git.RefBase, git.RefMarked, git.RefLive} {
					_ = os.Remove(filepath.Join(c.dir, ".git", ref+"ship-1.lock"))
				}
				if reopen {
					c.reopen()
				}
				c.staysMarked()
			})
		}
	}
}

// conflicting returns a crew whose remote's work clashes with the branch, in a text file and in a binary file.
func conflicting(t *testing.T) *crew {
	t.Helper()
	c := enlist(t, Options{})
	other := direct{filepath.Join(t.TempDir(), "workspace")}
	if _, err := c.h.Checkout(t.Context(), other, "ship-2", ""); err != nil {
		t.Fatal(err)
	}
	put(t, other.dir, "a.txt", "theirs\n")
	put(t, other.dir, "picture", "\x00theirs")
	if _, err := c.h.Merge(t.Context(), other, sync.Merge{Name: "ship-2", Subject: "theirs", Author: "E <e@e>"}); err != nil {
		t.Fatal(err)
	}
	put(t, c.ship.dir, "a.txt", "mine\n")
	put(t, c.ship.dir, "picture", "\x00mine")
	return c
}

func (c *crew) order() sync.Merge {
	return sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>"}
}

// reopen replaces the hub by a new one, as after a crash.
func (c *crew) reopen() {
	c.Helper()
	c.h.Close()
	h, err := Open(c.Context(), c.dir, "voyage", Options{})
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { h.Close() })
	c.h = h
}

// staysMarked merges repeatedly: the first merge returns the conflict, and later ones refuse the work until all
// markers are resolved.
func (c *crew) staysMarked() {
	c.Helper()
	head := gitOutput(c, c.dir, "rev-parse", "voyage")
	err := c.merge()
	if k, ok := asConflict(err); !ok || len(k.Paths) != 2 {
		c.Fatalf("want the conflict in both files, have %v", err)
	}
	if got := c.refused(); strings.Join(got, " ") != "a.txt" {
		c.Fatalf("refused %v", got)
	}
	c.reopen()
	put(c, c.ship.dir, "free.txt", "free\n")
	if err := c.merge(); err == nil {
		c.Fatal("markers were merged")
	}
	if now := gitOutput(c, c.dir, "rev-parse", "voyage"); now != head {
		c.Fatal("the branch moved")
	}
	if all := gitOutput(c, c.dir, "for-each-ref", git.RefParked); all == "" {
		c.Fatal("the work before the markers is kept nowhere")
	}
	put(c, c.ship.dir, "a.txt", "both\n")
	put(c, c.ship.dir, "picture", "\x00both")
	if err := c.merge(); err != nil {
		c.Fatal(err)
	}
	content(c.TB.(*testing.T), c.dir, "a.txt", "both\n")
}

// TestBaseIsAmended loses the reply of a call that checked out a commit of the branch, and has the captain amend that
// commit before the hub's next call. The hub must not take the captain's change for the ship's work.
func TestBaseIsAmended(t *testing.T) {
	for _, verb := range []string{wire.VerbMark, wire.VerbCheckout} {
		t.Run(verb, func(t *testing.T) {
			c := enlist(t, Options{})
			put(t, c.dir, "captain.txt", "1\n")
			c.checkout()
			put(t, c.dir, "captain.txt", "2\n")
			put(t, c.dir, "shared.txt", "captain's\n")
			cut := &cutoff{direct: c.ship, verb: verb, after: func() error { return errCut }}
			var err error
			if verb == wire.VerbMark {
				put(t, c.ship.dir, "shared.txt", "ship's\n")
				_, err = c.h.Merge(t.Context(), cut, c.order())
			} else {
				_, err = c.h.Checkout(t.Context(), cut, "ship-1", "")
			}
			if !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			put(t, c.dir, "captain.txt", "3\n")
			gitOutput(t, c.dir, "commit", "-q", "-a", "--amend", "-m", "mine")
			put(t, c.ship.dir, "shared.txt", "both\n")
			if err := c.merge(); err != nil {
				t.Fatal(err, gitOutput(t, c.ship.dir, "diff", "HEAD"))
			}
			content(t, c.dir, "captain.txt", "3\n")
			content(t, c.dir, "shared.txt", "both\n")
			if by := gitOutput(t, c.dir, "log", "-1", "--format=", "--name-only"); by != "shared.txt" {
				t.Fatal("the ship's commit changes ", by)
			}
		})
	}
}
