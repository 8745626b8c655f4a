package fleet

import (
	"testing"
	"time"
)

// The time since when a state exists stays while the state does.
func TestFollow(t *testing.T) {
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	a := SharedTree{State: TreeSame, Conflicts: []string{"x"}}
	a.Follow(SharedTree{}, at(1))
	b := SharedTree{State: TreeSame, Conflicts: []string{"x", "y"}, MoreProblems: 1}
	b.Follow(a, at(2))
	if b.Since != at(1) || b.ConflictSince != at(1) || b.ProblemSince != at(2) {
		t.Errorf("%+v", b)
	}
	c := SharedTree{State: TreeAway}
	c.Follow(b, at(3))
	if c.Since != at(3) || !c.ConflictSince.IsZero() || !c.ProblemSince.IsZero() {
		t.Errorf("%+v", c)
	}
}
