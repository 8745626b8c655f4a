package hub

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

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
