package livetree

import (
	"context"
	"errors"
	"fmt"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/kind"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// Flush brings what a ship has to the hub before its work is committed. What does not come is to be mended by the agent.
func (t *Tree) Flush(ctx context.Context, ship string) error {
	if !t.IsShared() {
		return nil
	}
	is, err := t.o.Trees.Flush(ctx, t.o.Info.ID, ship)
	switch {
	case err != nil && ctx.Err() == nil:
		return blame.HubWaits("the ship's tree and the hub's are not in step: " + clean.Bound(err.Error(), maxText))
	case err != nil:
		return err
	}
	return toMend(is)
}

// toMend tells an agent what of its tree does not travel and how it mends that, nil for nothing.
func toMend(is fleet.SharedTree) error {
	switch {
	case is.CountConflicts() > 0:
		return &sync.Refused{
			Why: "you and somebody else changed these files at the same time, and each tree keeps its own. For each of them: move yours to another name outside the tree " +
				"(mv FILE /tmp/); the other's comes within seconds; bring your changes into it; then complete the task again. Clashing", Paths: is.Conflicts,
		}
	case is.CountProblems() > 0:
		no := &sync.Refused{Why: "some files do not travel to the tree that all share (" + is.Problems[0].Why + "): remove or rename them, or make them readable, and complete the task again"}
		for _, p := range is.Problems {
			no.Paths = append(no.Paths, p.Path)
		}
		return no
	}
	return nil
}

// Order makes of an order to merge a task one for a tree that all share. The commit names the others at work, as it has what they have done.
func (t *Tree) Order(order *sync.Merge, task *tasks.State, all []*tasks.State) {
	if !t.IsShared() {
		return
	}
	order.Keep = ""
	for _, other := range all {
		if other.Status == tasks.InProgress && other.ID != task.ID && other.Owner != fleet.Coordinator && other.Owner != task.Owner {
			order.Trailers = append(order.Trailers, [2]string{kind.TrailerBeside, other.Owner + " " + other.ID})
		}
	}
}

// Leave ends a ship's part of the tree, once it has brought what the ship has. It returns what did not come.
func (t *Tree) Leave(ctx context.Context, ship string) (missing []string) {
	if !t.IsShared() && len(t.o.Info.Artifacts) == 0 {
		return nil
	}
	missing = t.bring(ctx, ship)
	if err := t.o.Trees.Leave(context.WithoutCancel(ctx), t.o.Info.ID, ship); err != nil && !errors.Is(err, context.Canceled) {
		t.o.Log.Warn("leave the tree", "ship", ship, "error", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.ships, ship)
	return missing
}

// bringTime bounds what is brought from a ship while somebody waits.
const bringTime = time.Minute

// bring brings what a ship has, and returns what did not come.
func (t *Tree) bring(ctx context.Context, ship string) (missing []string) {
	ctx, cancel := context.WithTimeout(ctx, bringTime)
	defer cancel()
	if t.IsShared() {
		is, err := t.o.Trees.Flush(ctx, t.o.Info.ID, ship)
		if err != nil {
			missing = append(missing, "what it changed last may not have come into the tree that all share ("+clean.Bound(err.Error(), 300)+")")
		}
		if n := is.CountConflicts(); n > 0 {
			missing = append(missing, fmt.Sprintf("%d files clash with the tree that all share, like %s: its own are in the copy of its tree", n, clean.Word(is.Conflicts[0])))
		}
		if n := is.CountProblems(); n > 0 {
			missing = append(missing, fmt.Sprintf("%d files do not travel, like %s", n, clean.Word(is.Problems[0].Path)))
		}
	}
	if err := t.o.Trees.FlushArtifacts(ctx, t.o.Info.ID, ship); err != nil {
		missing = append(missing, "what is newest of its artifacts may not have come home ("+clean.Bound(err.Error(), 300)+")")
	}
	return missing
}

// FlushAll brings what ships have into the tree that all share, and copies that for who clones.
func (t *Tree) FlushAll(ctx context.Context, ships []string) (api.Flushed, error) {
	done := api.Flushed{Missing: []string{}}
	if !t.IsShared() {
		return done, nil
	}
	var group gosync.WaitGroup
	missing := make([][]string, len(ships))
	for i, ship := range ships {
		group.Go(func() { missing[i] = t.bring(ctx, ship) })
	}
	group.Wait()
	for i, ship := range ships {
		for _, text := range missing[i] {
			done.Missing = append(done.Missing, ship+": "+text)
		}
	}
	return done, t.o.Work.Workspace.TakeOut(ctx)
}
