package hub

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/wire"
)

// lossy is a remote that carries out verb, but whose first reply to it is lost.
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

// TestCheckoutUnanswered: when the reply to a checkout was lost, a new hub too knows at which commit the tree was
// checked out.
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

// TestDeadline calls a remote that does not answer.
func TestDeadline(t *testing.T) {
	t.Parallel()
	h, dir, w := forge(t, Options{})
	h.deadline = 100 * time.Millisecond
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

// TestNothingWanted has the hub fail to find the target commit while the ship examines its tree: the claim fails, the
// ship's process lives on, and the tree is unchanged.
func TestNothingWanted(t *testing.T) {
	c := enlist(t, Options{})
	s := &lined{dir: c.ship.dir}
	defer s.end()
	claim := func() error { _, err := c.h.Checkout(t.Context(), s, "ship-1", ""); return err }
	if err := claim(); err != nil {
		t.Fatal(err)
	}
	put(t, s.dir, "a.txt", "work\n")
	head := gitOutput(t, c.dir, "rev-parse", "voyage")
	gitOutput(t, c.dir, "checkout", "-q", "--detach")
	gitOutput(t, c.dir, "update-ref", "-d", "refs/heads/voyage")
	gitOutput(t, c.dir, "update-ref", "-d", git.RefHead)
	var waits *sync.Hindered
	if err := claim(); !errors.As(err, &waits) {
		t.Errorf("want a hindrance, have %v", err)
	}
	content(t, s.dir, "a.txt", "work\n")
	gitOutput(t, c.dir, "update-ref", "refs/heads/voyage", head)
	if err := claim(); err != nil || s.started != 1 {
		t.Errorf("%d processes, %v", s.started, err)
	}
	content(t, s.dir, "a.txt", "a\n")
	if parked := gitOutput(t, c.dir, "for-each-ref", git.RefParked); parked == "" {
		t.Error("the work is gone")
	}
}

// TestAnswersFirst has a ship report a finished checkout before the hub has sent the target. The hub refuses the
// reply, because the ship names another commit than the target.
func TestAnswersFirst(t *testing.T) {
	c := enlist(t, Options{})
	base := gitOutput(t, c.dir, "rev-parse", "voyage")
	put(t, c.dir, "edit.txt", "the captain's\n")
	hasty := puppet(func(_ context.Context, _ string, stdin io.Reader, stdout io.Writer) error {
		if err := wire.WriteLine(stdout, wire.Reply{Base: base}); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, stdin)
		return err
	})
	if _, err := c.h.Checkout(t.Context(), hasty, "ship-1", ""); err == nil {
		t.Error("the tree is where no edit of the captain's is")
	}
	c.checkout()
	content(t, c.ship.dir, "edit.txt", "the captain's\n")
}
