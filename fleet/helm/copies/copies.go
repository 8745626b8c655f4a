// Package copies keeps the hub's copies of the unmerged work on a ship.
package copies

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/link"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/wake"
	tree "ocaptain/sync"
	"ocaptain/tasks"
)

// The times between two copies of a ship's tree: often while the tree changes, seldom while its agent only reads, and
// Rest while the ship rests. Any sign of work ends the rest. Changes without such a sign, by a process in the
// background, wait for the next slow copy.
const (
	often  = 3 * time.Second
	seldom = 30 * time.Second
	// Rest is the time between two copies while the ship rests.
	Rest = 5 * time.Minute
)

// limit bounds one copy.
const limit = 5 * time.Minute

// Options name the ship, and what its Copies use.
type Options struct {
	*core.Core
	Ship   string
	Remote tree.Remote                       // the ship's tree
	Lock   func(context.Context) error       // locks the ship's tree
	Unlock func()                            // unlocks the ship's tree
	Held   func() *tasks.State               // returns the task that the ship holds, nil for none
	Works  func() bool                       // reports whether the ship's agent works
	Stands func(at time.Time, commit string) // gets the commit that was checked out in the tree
	Spend  func(bytes int64) time.Duration   // counts bytes against the budget of copies, and returns how long the next copy has to wait
}

// Copies keeps the hub's copies of a ship's tree. Its methods are safe for concurrent use. It calls no function of
// Options while it holds its lock, so callers may hold their own locks.
type Copies struct {
	o     Options
	stirs wake.Signal // has a signal if something happened since the last copy

	mu sync.Mutex
	is State
}

// State is the last known state of a ship's tree.
type State struct {
	Live     string // newest snapshot
	Unmerged fleet.Unmerged
	Since    int       // files of that snapshot that differ from what the ship handed in or completed last
	Copied   time.Time // when the tree was last copied
	Uncopied string    // why later copies failed
}

// New returns Copies of a ship whose tree was not copied yet.
func New(o Options) *Copies { return &Copies{o: o, stirs: wake.New()} }

// Now returns the last known state of the tree.
func (c *Copies) Now() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.is
}

// Recall takes the state that the last helm knew, until the ship can be reached.
func (c *Copies) Recall(old State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.is.Copied.IsZero() {
		c.is = old
	}
}

// Fail records why the tree could not be copied.
func (c *Copies) Fail(why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.is.Uncopied = why
}

// AtBranch records that the branch has all of the ship's tree. The caller holds the tree.
func (c *Copies) AtBranch() {
	c.mu.Lock()
	c.is.Unmerged.Changed = 0
	c.mu.Unlock()
	c.o.Paint.Send()
}

// Soon requests a copy soon, because something happened on the ship.
func (c *Copies) Soon() { c.stirs.Send() }

// Run keeps the hub's copy of the ship's unmerged work up to date, until ctx ends, also while the ship holds no task.
// It hardly ever asks a ship that rests.
func (c *Copies) Run(ctx context.Context) {
	c.Soon() // events before this session are unknown
	pause, failed, told := often, 0, map[string]bool{}
	for c.await(ctx, pause, failed > 0 || c.beside()) {
		t := c.o.Held()
		if t != nil && isFresh(time.Now(), t.ClaimedAt) {
			pause = often
			continue
		}
		task := ""
		if t != nil {
			task = t.ID
		}
		limited, cancel := context.WithTimeout(ctx, limit)
		same, wait, notes, err := c.copyAll(limited)
		cancel()
		if ctx.Err() != nil {
			return
		}
		pause = min(seldom, 2*pause)
		if err != nil {
			c.o.Log.Warn("snapshot", "ship", c.o.Ship, "error", err)
			var exit *link.ExitError
			if failed++; failed == 2 || errors.As(err, &exit) { // a single failure may pass by itself
				why, _, _ := strings.Cut(clean.Bound(err.Error(), 300), "\n")
				notes = []string{"its unmerged work cannot be copied home, what came before stays: " + why}
			}
		} else {
			failed = 0
		}
		if err == nil && !same {
			pause = often
		}
		for _, n := range notes {
			if len(told) < 30 && !told[n] {
				told[n] = true
				c.o.Notes.Add(fleet.Note{Ship: c.o.Ship, Task: task, Text: clean.Bound(n, clean.MaxText)})
			}
		}
		if wait > 0 && retry.Sleep(ctx, wait) != nil {
			return
		}
	}
}

// isFresh reports whether a task was claimed just now, so that its tree, which was checked out for it, has nothing new. A claim in the future
// was made before the clock was set back.
func isFresh(now, claimed time.Time) bool {
	age := now.Sub(claimed)
	return 0 <= age && age < often
}

// await waits until the tree should be copied: for a pause while the agent works or a copy is unfinished, otherwise
// for a signal or Rest. It returns false when ctx ends.
func (c *Copies) await(ctx context.Context, pause time.Duration, unfinished bool) bool {
	if !unfinished && !c.mayChange() {
		rest := time.NewTimer(Rest)
		defer rest.Stop()
		select {
		case <-c.stirs:
		case <-rest.C:
			return ctx.Err() == nil
		case <-ctx.Done():
			return false
		}
		pause = often
	}
	return retry.Sleep(ctx, pause) == nil
}

// mayChange reports whether the ship's tree may change at any time.
func (c *Copies) mayChange() bool { return c.o.Held() != nil || c.o.Works() }

// copyAll copies the ship's tree, and its other branches and stash once these no longer change. It reports whether
// nothing has changed, how long the next copy has to wait because copies grow too fast, and notes on what could not
// be copied.
func (c *Copies) copyAll(ctx context.Context) (same bool, wait time.Duration, notes []string, err error) {
	if err := c.o.Lock(ctx); err != nil {
		return false, 0, nil, err
	}
	defer c.o.Unlock() // only after the state is recorded, so that a merge that follows overwrites it
	before := c.Now().Unmerged
	same, wait, notes, err = c.copy(ctx)
	if err != nil || wait > 0 || !c.beside() || !before.SameBeside(c.Now().Unmerged) { // copy other branches and stash only once they no longer change
		return same, wait, notes, err
	}
	wait, besides := c.bringBeside(ctx)
	return false, wait, append(notes, besides...), nil
}

// bringBeside copies the ship's other branches and stash to the hub, and returns notes on where they are kept. The
// caller holds the tree.
func (c *Copies) bringBeside(ctx context.Context) (wait time.Duration, notes []string) {
	refs, grew, err := c.o.Work.Beside(ctx, c.o.Remote, c.o.Ship)
	wait = c.o.Spend(grew)
	switch {
	case err != nil:
		notes = []string{"its other branches and its stash cannot be brought home: " + clean.Bound(err.Error(), clean.MaxText)}
	case len(refs) > 0:
		notes = []string{"its other branches and its stash are kept in workspace/ as " + strings.Join(refs, ", ")}
	}
	return wait, notes
}

// Copy copies the tree to the hub. The caller holds the tree.
func (c *Copies) Copy(ctx context.Context) error {
	_, _, _, err := c.copy(ctx)
	return err
}

// copy is copyAll without other branches and stash. The caller holds the tree.
func (c *Copies) copy(ctx context.Context) (same bool, wait time.Duration, notes []string, err error) {
	snap, err := c.o.Work.Snapshot(ctx, c.o.Remote, c.o.Ship)
	if err != nil {
		c.Fail(clean.Bound(err.Error(), 300))
		return false, 0, nil, err
	}
	now := time.Now()
	c.o.Stands(now, snap.Head) // before the copy shows, so that readers of the copy know its commit
	return c.Took(now, snap), c.o.Spend(snap.Bytes), snap.Notes, nil
}

// Took records a snapshot of the ship's tree, and reports whether nothing has changed.
func (c *Copies) Took(at time.Time, snap tree.Snapshot) (same bool) {
	now := fleet.Unmerged{Changed: snap.Changed, Sides: snap.Sides, Stashed: snap.Stashed}
	c.mu.Lock()
	same = c.is.Live == snap.Commit && c.is.Unmerged.Changed == now.Changed && c.is.Unmerged.SameBeside(now)
	c.is = State{Live: snap.Commit, Unmerged: now, Since: snap.Since, Copied: at}
	c.mu.Unlock()
	if !same {
		c.o.Paint.Send()
	}
	return same
}

// Bring copies the ship's tree, other branches and stash to the hub as they are now. It returns what could not be
// copied. The caller holds the tree.
func (c *Copies) Bring(ctx context.Context) (missing []string, err error) {
	if _, _, missing, err = c.copy(ctx); err != nil {
		return nil, err
	}
	if !c.beside() {
		return missing, nil
	}
	_, notes := c.bringBeside(ctx)
	for _, n := range notes {
		c.o.Notes.Add(fleet.Note{Ship: c.o.Ship, Text: n})
	}
	if _, _, missing, err = c.copy(ctx); err == nil && c.beside() {
		is := c.Now().Unmerged
		missing = append(missing, fleet.Unmerged{Sides: is.Sides, Stashed: is.Stashed}.ListText())
	}
	return missing, err
}

// beside reports whether the ship has other branches or stash entries that the hub lacks.
func (c *Copies) beside() bool {
	is := c.Now().Unmerged
	return len(is.Sides) > 0 || is.Stashed > 0
}
