package hub

import (
	"errors"
	"testing"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/wire"
)

// TestPutBackCutShort cuts PutBack short before or after the work reaches the tree, and goes on with the same hub or
// a new one. A repeated call puts the work back or finds it in the tree, and no merge may include markers.
func TestPutBackCutShort(t *testing.T) {
	fail := func() error { return errCut }
	for name, c := range map[string]*cutoff{"before": {verb: wire.VerbMark, before: fail}, "after": {verb: wire.VerbMark, after: fail}} {
		for _, reopen := range []bool{false, true} {
			for _, clash := range []bool{false, true} {
				cut := &cutoff{verb: c.verb, before: c.before, after: c.after}
				t.Run(name+map[bool]string{true: ", a new hub"}[reopen]+map[bool]string{true: ", a clash"}[clash], func(t *testing.T) {
					t.Parallel()
					putBackCut(t, cut, reopen, clash)
				})
			}
		}
	}
}

func putBackCut(t *testing.T, cut *cutoff, reopen, clash bool) {
	c := enlist(t, Options{})
	put(t, c.ship.dir, "a.txt", "mine\n")
	put(t, c.ship.dir, "new.txt", "mine\n")
	work := c.handIn()
	if clash {
		if err := c.second("ship-2").give("ship-2", "a.txt", "theirs\n"); err != nil {
			t.Fatal(err)
		}
	}
	c.checkout()
	cut.direct = c.ship
	if _, err := c.h.PutBack(t.Context(), cut, "ship-1", work); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	if reopen {
		c.reopen()
	}
	for range 2 {
		k, err := c.h.PutBack(t.Context(), c.ship, "ship-1", work)
		if err != nil || (k != nil) != clash {
			t.Fatalf("%+v, %v", k, err)
		}
	}
	if clash {
		if got := c.refused(); len(got) != 1 || got[0] != "a.txt" {
			t.Fatalf("refused %v", got)
		}
		put(t, c.ship.dir, "a.txt", "both\n")
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	content(t, c.dir, "new.txt", "mine\n")
	content(t, c.dir, "a.txt", map[bool]string{false: "mine\n", true: "both\n"}[clash])
	if k := c.checkout(); k.Parked != "" {
		t.Error("parked on ", k.Parked)
	}
	if left := gitOutput(t, c.dir, "for-each-ref", git.RefParked, git.RefMarked, git.RefBranch, git.RefYours); left != "" {
		t.Error("left ", left)
	}
}

// TestPutBackBinary: when a binary file clashes, the conflict says where the agent finds the work's version.
func TestPutBackBinary(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.ship.dir, "picture", "\x00mine")
	work := c.handIn()
	if err := c.second("ship-2").give("ship-2", "picture", "\x00theirs"); err != nil {
		t.Fatal(err)
	}
	c.checkout()
	for range 2 {
		if k, err := c.h.PutBack(t.Context(), c.ship, "ship-1", work); err != nil || k == nil || len(k.Why) != 1 {
			t.Fatalf("%+v, %v", k, err)
		}
	}
	content(t, c.ship.dir, "picture", "\x00theirs")
	if got := gitOutput(t, c.ship.dir, "show", git.ShipPrior+":picture"); got != "\x00mine" {
		t.Errorf("the tree keeps %q", got)
	}
}
