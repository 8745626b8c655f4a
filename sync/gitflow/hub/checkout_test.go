package hub

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/wire"
)

// lossy is a remote whose first answer to a verb is lost, although it did what it was told to.
type lossy struct {
	direct
	verb string
}

func (l *lossy) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if args[0] != l.verb {
		return l.direct.Tree(ctx, args, stdin, stdout)
	}
	l.verb = ""
	return errors.Join(l.direct.Tree(ctx, args, stdin, new(bytes.Buffer)), errors.New("the line is dead"))
}

// TestCheckoutUnanswered knows what a tree grows from when the answer of its checkout was lost, also after helm
// died.
func TestCheckoutUnanswered(t *testing.T) {
	c := enlist(t, Options{})
	base := gitOutput(t, c.dir, "rev-parse", "voyage")
	side := gitOutput(t, c.dir, "commit-tree", "-p", base, "-m", "side", "voyage^{tree}")
	gitOutput(t, c.dir, "branch", "side", side)
	if _, err := c.h.Checkout(t.Context(), &lossy{c.ship, wire.VerbCheckout}, "ship-1", side); err == nil {
		t.Fatal("the answer was not lost")
	}
	put(t, c.ship.dir, "b.txt", "b\n")
	again, err := Open(t.Context(), c.dir, "voyage", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	snap, err := again.Snapshot(t.Context(), c.ship, "ship-1")
	if err != nil || snap.Base != side || snap.Changed != 1 {
		t.Fatalf("%+v, %v: want 1 file that grew from %s", snap, err, side)
	}
	if left := gitOutput(t, c.dir, "for-each-ref", git.RefTarget); left != "" {
		t.Errorf("left %s", left)
	}
}

// TestDeadline has a remote that does not answer.
func TestDeadline(t *testing.T) {
	t.Parallel()
	h, dir, w := forge(t, Options{})
	h.opts.Deadline = 100 * time.Millisecond
	deaf := puppet(func(ctx context.Context, _ string, _ io.Reader, _ io.Writer) error { <-ctx.Done(); return ctx.Err() })
	for name, call := range map[string]func() error{
		"checkout":       func() error { _, err := h.Checkout(t.Context(), deaf, "ship-0", ""); return err },
		"first checkout": func() error { _, err := h.Checkout(t.Context(), deaf, "ship-9", ""); return err },
		"clean":          func() error { return h.Clean(t.Context(), deaf, w.base, func(string) error { return nil }) },
		"snapshot":       func() error { _, err := h.Snapshot(t.Context(), deaf, "ship-0"); return err },
	} {
		if err := call(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if dirt := gitOutput(t, dir, "status", "--porcelain"); dirt != "" {
		t.Error(dirt)
	}
}
