package livetree

import (
	"errors"
	"log/slog"
	"slices"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/wake"
	"ocaptain/sync"
	"ocaptain/tasks"
)

func newTree(t *testing.T, how string) *Tree {
	t.Helper()
	return New(Options{Core: &core.Core{Info: fleet.Voyage{ID: "v", Trees: fleet.Trees{Sync: how}}, Dir: fleet.Dir(t.TempDir()), Log: slog.New(slog.DiscardHandler), Paint: wake.New()}})
}

// TestTook: the time since when a tree has its state survives further reports, and the reason of a stop stays while
// synchronization is stopped.
func TestTook(t *testing.T) {
	tree := newTree(t, fleet.SyncLive)
	tree.Took("ship-0", fleet.SharedTree{State: fleet.TreeSame})
	since := tree.Of("ship-0").Since
	tree.Took("ship-0", fleet.SharedTree{State: fleet.TreeSame, Conflicts: []string{"a"}})
	if is := tree.Of("ship-0"); is.Since != since || is.ConflictSince.IsZero() {
		t.Fatalf("%+v", is)
	}
	tree.setGuard("much went away")
	tree.Took("ship-0", fleet.SharedTree{State: fleet.TreePaused, Why: "it was paused"})
	if is := tree.Of("ship-0"); is.Why != "much went away" {
		t.Fatalf("%+v", is)
	}
}

func TestToMend(t *testing.T) {
	for name, c := range map[string]struct {
		is    fleet.SharedTree
		paths []string // nil for nothing to correct
	}{
		"in step":       {fleet.SharedTree{State: fleet.TreeSame}, nil},
		"a clash":       {fleet.SharedTree{Conflicts: []string{"a", "b"}, Problems: []fleet.TreeProblem{{Path: "c"}}}, []string{"a", "b"}},
		"does not move": {fleet.SharedTree{Problems: []fleet.TreeProblem{{Path: "c", Why: "no name"}}}, []string{"c"}},
	} {
		err := toMend(c.is)
		var no *sync.Refused
		if errors.As(err, &no) != (c.paths != nil) || no != nil && !slices.Equal(no.Paths, c.paths) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOrder: the commit of a shared tree names the other ships at work, and keeps no work for one ship alone.
func TestOrder(t *testing.T) {
	state := func(id, owner string, is tasks.Status) *tasks.State {
		return &tasks.State{Task: tasks.Task{ID: id, Status: is, Owner: owner}}
	}
	own := state("1", "ship-0", tasks.InProgress)
	all := []*tasks.State{own, state("2", "ship-1", tasks.InProgress), state("3", "ship-2", tasks.Completed), state("4", fleet.Coordinator, tasks.InProgress)}
	order := sync.Merge{Keep: "refs/x"}
	newTree(t, fleet.SyncLive).Order(&order, own, all)
	if order.Keep != "" || len(order.Trailers) != 1 || order.Trailers[0][1] != "ship-1 2" {
		t.Errorf("%+v", order)
	}
	order = sync.Merge{Keep: "refs/x"}
	newTree(t, "").Order(&order, own, all)
	if order.Keep != "refs/x" || len(order.Trailers) != 0 {
		t.Errorf("each ship has a tree of its own: %+v", order)
	}
}

func TestSettling(t *testing.T) {
	if _, err := newTree(t, "").BeginSettling(api.SettleRequest{Keep: api.KeepHub}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("each ship has a tree of its own: %v", err)
	}
	tree := newTree(t, fleet.SyncLive)
	tree.Took("ship-2", fleet.SharedTree{State: fleet.TreeEmptied})
	tree.Took("ship-1", fleet.SharedTree{Conflicts: []string{"a"}})
	tree.Took("ship-0", fleet.SharedTree{State: fleet.TreeSame})
	if _, err := tree.BeginSettling(api.SettleRequest{Keep: "ship-1", Ship: "ship-2"}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("another ship's copy counts: %v", err)
	}
	for name, c := range map[string]struct {
		in   api.SettleRequest
		want []string
	}{
		"all that clash":  {api.SettleRequest{Keep: api.KeepHub}, []string{"ship-1", "ship-2"}},
		"one":             {api.SettleRequest{Keep: api.KeepBoth, Ship: "ship-1"}, []string{"ship-1"}},
		"a ship's counts": {api.SettleRequest{Keep: "ship-1"}, []string{"ship-1"}},
	} {
		w, err := tree.BeginSettling(c.in)
		if err != nil || !slices.Equal(w.Ships(), c.want) {
			t.Errorf("%s: %v, %v", name, w.Ships(), err)
		}
		for _, file := range []string{"../hub", "/etc/passwd", "."} {
			if err := w.settleFile(t.Context(), Ship{}, file); err == nil {
				t.Errorf("%s is settled", file)
			}
		}
		if done := w.Done(); done.Kept != "" || len(done.Files) != 0 {
			t.Errorf("%s: %+v", name, done)
		}
	}
}
