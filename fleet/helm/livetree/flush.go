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

// Flush synchronizes a ship's tree with the hub's before the ship's work is committed. Its error tells the agent how to
// correct files that could not be synchronized.
func (t *Tree) Flush(ctx context.Context, ship string) error {
	if !t.IsShared() {
		return nil
	}
	is, err := t.o.Trees.Flush(ctx, t.o.Info.ID, ship)
	switch {
	case err != nil && ctx.Err() == nil:
		return blame.HubWaits("the ship's tree and the hub's are not in step: " + clean.Bound(err.Error(), clean.MaxText))
	case err != nil:
		return err
	}
	return toMend(is)
}

// toMend returns an error that names the files of an agent's tree that are not synchronized and says how to correct
// that, nil when there are none.
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

// Order adapts an order to merge a task to a shared tree. The commit names the other ships at work, as it contains their changes too.
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

// Leave ends a ship's part in the shared tree, after a last synchronization. It returns the files that did not reach
// the hub.
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

// bringTime is the time limit for synchronizing a ship while a caller waits.
const bringTime = time.Minute

// bring synchronizes a ship's tree with the hub's, and returns the files that did not reach the hub.
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

// FlushAll synchronizes the trees of ships with the hub's, and then copies the shared tree for a clone.
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
