package copies

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/wake"
	tree "ocaptain/sync"
	"ocaptain/tasks"
)

// TestTook takes down snapshots one after the other: what is known is the newest, and a copy that is as the last one is told apart.
func TestTook(t *testing.T) {
	t.Parallel()
	c := New(Options{Core: &core.Core{Paint: wake.New()}})
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	side := fleet.Unmerged{}.Sides
	for i, step := range []struct {
		snap tree.Snapshot
		same bool
	}{
		{tree.Snapshot{Commit: "one", Changed: 1}, false},
		{tree.Snapshot{Commit: "one", Changed: 1}, true},
		{tree.Snapshot{Commit: "two", Changed: 1}, false},
		{tree.Snapshot{Commit: "two", Changed: 2}, false},
		{tree.Snapshot{Commit: "two", Changed: 2, Stashed: 1, Sides: side}, false},
		{tree.Snapshot{Commit: "two", Changed: 2, Stashed: 1, Sides: side, Since: 3}, true},
	} {
		c.Fail("no answer")
		at = at.Add(time.Minute)
		if same := c.Took(at, step.snap); same != step.same {
			t.Errorf("copy %d is as the last: %t", i, same)
		}
		if is := c.Now(); is.Live != step.snap.Commit || is.Unmerged.Changed != step.snap.Changed || is.Unmerged.Stashed != step.snap.Stashed ||
			is.Since != step.snap.Since || !is.Copied.Equal(at) || is.Uncopied != "" {
			t.Errorf("after copy %d it is %+v", i, is)
		}
	}
	if c.AtBranch(); c.Now().Unmerged.Changed != 0 || c.Now().Unmerged.Stashed != 1 {
		t.Errorf("at the branch it is %+v", c.Now())
	}
	if c.Recall(State{Live: "old"}); c.Now().Live != "two" {
		t.Error("what the last helm knew replaces a copy")
	}
	late := New(Options{Core: &core.Core{Paint: wake.New()}})
	late.Recall(State{Live: "old", Copied: at, Uncopied: "no answer"})
	if late.Fail("it cannot be reached"); !reflect.DeepEqual(late.Now(), State{Live: "old", Copied: at, Uncopied: "it cannot be reached"}) {
		t.Errorf("what the last helm knew is %+v", late.Now())
	}
}

// TestRhythm has the tree copied soon while it may change, and hardly ever while the ship rests, unless something stirs.
func TestRhythm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		held, works, unfinished bool
		stirs                   time.Duration // when something happens, 0 for never
		want                    time.Duration
	}{
		"it holds a task":               {held: true, want: time.Second},
		"its agent works":               {works: true, want: time.Second},
		"there is something to finish":  {unfinished: true, want: time.Second},
		"it rests":                      {want: Rest},
		"it rests, and something stirs": {stirs: time.Minute, want: time.Minute + often},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				all := New(Options{Core: &core.Core{}, Works: func() bool { return c.works }, Held: func() *tasks.State {
					if c.held {
						return &tasks.State{}
					}
					return nil
				}})
				if c.stirs > 0 {
					time.AfterFunc(c.stirs, all.Soon)
				}
				began := time.Now()
				if !all.await(t.Context(), time.Second, c.unfinished) || time.Since(began) != c.want {
					t.Errorf("it waits %s", time.Since(began))
				}
				ended, end := context.WithCancel(t.Context())
				end()
				if all.await(ended, time.Second, c.unfinished) {
					t.Error("it goes on after the end")
				}
			})
		})
	}
}
