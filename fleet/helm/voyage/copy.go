package voyage

import (
	"context"
	"errors"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/sync"
)

// How often the tree of a ship is copied home: often while it changes, seldom while its agent only reads, and hardly
// ever while it rests. Rest ends with any sign of work; what gives none, as a process in the background, waits for the
// slow copy.
const (
	copyOften  = 3 * time.Second
	copySeldom = 30 * time.Second
	copyRest   = 5 * time.Minute
)

// snapshots keeps a copy of the ship's unmerged work on the hub, whether it holds a task or not. A ship that rests is
// asked nothing but once in a long while.
func (s *Ship) snapshots(ctx context.Context) {
	s.CopySoon() // events before this session are unknown
	pause, failed, told := copyOften, 0, map[string]bool{}
	for s.untilCopy(ctx, pause, failed > 0 || s.beside()) {
		t := s.v.store.Snapshot().Held(s.name)
		if t != nil && time.Since(t.ClaimedAt) < copyOften { // a tree that was just checked out has nothing new
			pause = copyOften
			continue
		}
		task := ""
		if t != nil {
			task = t.ID
		}
		limit, cancel := context.WithTimeout(ctx, treeTime)
		same, wait, notes, err := s.copyTree(limit)
		cancel()
		if ctx.Err() != nil {
			return
		}
		pause = min(copySeldom, 2*pause)
		if err != nil {
			s.v.log.Warn("snapshot", "ship", s.name, "error", err)
			var exit *link.ExitError
			if failed++; failed == 2 || errors.As(err, &exit) { // else it may be a matter of the moment
				why, _, _ := strings.Cut(clean.Bound(err.Error(), 300), "\n")
				notes = []string{"its unmerged work cannot be copied home, what came before stays: " + why}
			}
		} else {
			failed = 0
		}
		if err == nil && !same {
			pause = copyOften
		}
		for _, n := range notes {
			if len(told) < 30 && !told[n] {
				told[n] = true
				s.v.notes.Add(fleet.Note{Ship: s.name, Task: task, Text: clean.Bound(n, maxText)})
			}
		}
		if wait > 0 && retry.Sleep(ctx, wait) != nil {
			return
		}
	}
}

// untilCopy waits until the tree should be copied: after a pause while the agent works or there is something to be copied
// still, else when something stirs. It returns false when ctx ends.
func (s *Ship) untilCopy(ctx context.Context, pause time.Duration, unfinished bool) bool {
	if !unfinished && !s.mayChange() {
		rest := time.NewTimer(copyRest)
		defer rest.Stop()
		select {
		case <-s.stirs:
		case <-rest.C:
			return ctx.Err() == nil
		case <-ctx.Done():
			return false
		}
		pause = copyOften
	}
	return retry.Sleep(ctx, pause) == nil
}

// mayChange reports whether the ship's tree may change at any time.
func (s *Ship) mayChange() bool {
	if s.v.store.Snapshot().Held(s.name) != nil {
		return true
	}
	return reads(s.v, func() bool { return s.known.State.State == proto.StateWorking })
}

// CopySoon has the tree copied soon, as something happened on the ship.
func (s *Ship) CopySoon() {
	s.stirs.Send()
}

// copyTree copies the ship's tree home and takes down what there is beside it. It reports whether all is as it was, how
// long the next copy has to wait as these grow too fast, and what could not be copied.
func (s *Ship) copyTree(ctx context.Context) (same bool, wait time.Duration, notes []string, err error) {
	if err := s.lockTree(ctx); err != nil {
		return false, 0, nil, err
	}
	defer s.tree.Unlock() // after it is taken down: a merge that comes next has the last word
	before := reads(s.v, func() fleet.Unmerged { return s.drift })
	same, wait, notes, err = s.copyHeld(ctx)
	if err != nil || wait > 0 || !s.beside() || !before.SameBeside(s.drift) { // what comes and goes stays there
		return same, wait, notes, err
	}
	wait, besides := s.bringBeside(ctx)
	return false, wait, append(notes, besides...), nil
}

// bringBeside copies home what there is beside the ship's tree, and tells where it is kept. The caller holds the ship's tree.
func (s *Ship) bringBeside(ctx context.Context) (wait time.Duration, notes []string) {
	refs, grew, err := s.v.work.Beside(ctx, s, s.name)
	return reads2(s.v, func() (time.Duration, []string) {
		wait = s.spendBudget(&s.kept, grew)
		switch {
		case err != nil:
			notes = []string{"its other branches and its stash cannot be brought home: " + clean.Bound(err.Error(), maxText)}
		case len(refs) > 0:
			notes = []string{"its other branches and its stash are kept in workspace/ as " + strings.Join(refs, ", ")}
		}
		return wait, notes
	})
}

// copyHeld is copyTree for who holds the ship's tree.
func (s *Ship) copyHeld(ctx context.Context) (same bool, wait time.Duration, notes []string, err error) {
	snap, err := s.v.work.Snapshot(ctx, s, s.name)
	if err != nil {
		changes(s.v, func() { s.uncopied = clean.Bound(err.Error(), 300) })
		return false, 0, nil, err
	}
	changes(s.v, func() {
		s.uncopied, s.copied = "", time.Now()
		same, wait = s.adrift(snap), s.spendBudget(&s.kept, snap.Bytes)
	})
	return same, wait, snap.Notes, nil
}

// adrift takes down a copy of the ship's tree and what there is beside it, and reports whether it is what it
// was. The caller holds v.mu and the ship's tree.
func (s *Ship) adrift(snap sync.Snapshot) (same bool) {
	now := fleet.Unmerged{Changed: snap.Changed, Sides: snap.Sides, Stashed: snap.Stashed}
	same = s.live == snap.Commit && s.drift.Changed == now.Changed && s.drift.SameBeside(now)
	s.live, s.drift, s.since = snap.Commit, now, snap.Since
	s.committed(s.copied, snap.Head)
	if !same {
		s.v.requestBoard()
	}
	return same
}

// recallCopy brings back what the last helm knew of the ship's tree, for as long as the ship can't be reached.
func (s *Ship) recallCopy(old fleet.Board) {
	changes(s.v, func() {
		for i := range old.Ships {
			if was := &old.Ships[i]; was.Name == s.name && was.Built == s.known.Ship.Built && s.copied.IsZero() {
				s.live, s.drift, s.copied, s.uncopied = was.Live, was.Unmerged, was.Copied, was.Uncopied
			}
		}
	})
}

// atBranch takes down that the branch has all of the ship's tree. The caller holds the ship's tree.
func (s *Ship) atBranch() {
	changes(s.v, func() {
		s.drift.Changed = 0
		s.v.requestBoard()
	})
}

// bringing bounds what is copied from a ship while somebody waits.
const bringing = time.Minute

// bringHome copies home what the ship has now: its tree, the branches that it does not stand on, and its stash. It
// returns what could not be copied.
func (s *Ship) bringHome(ctx context.Context) (missing []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, bringing)
	defer cancel()
	if !s.reach.Connects(ctx) {
		err := errors.New("it cannot be reached")
		changes(s.v, func() { s.uncopied = err.Error() })
		return nil, err
	}
	if err := s.lockTree(ctx); err != nil {
		return nil, err
	}
	defer s.tree.Unlock()
	if missing, err = s.bringHeld(ctx); err != nil {
		return missing, err
	}
	if _, err := s.countIgnored(ctx); err != nil {
		s.v.log.Warn("ignored files", "ship", s.name, "error", err)
		missing = append(missing, "the files that git ignores, which could not be listed: "+clean.Bound(err.Error(), 300))
	}
	return missing, nil
}

// bringHeld is bringHome for who holds the ship's tree.
func (s *Ship) bringHeld(ctx context.Context) (missing []string, err error) {
	if _, _, missing, err = s.copyHeld(ctx); err != nil {
		return nil, err
	}
	if !s.beside() {
		return missing, nil
	}
	_, notes := s.bringBeside(ctx)
	for _, n := range notes {
		s.v.notes.Add(fleet.Note{Ship: s.name, Text: n})
	}
	if _, _, missing, err = s.copyHeld(ctx); err == nil && s.beside() {
		changes(s.v, func() {
			missing = append(missing, fleet.Unmerged{Sides: s.drift.Sides, Stashed: s.drift.Stashed}.ListText())
		})
	}
	return missing, err
}

// beside reports whether the ship has something beside its tree that the hub lacks.
func (s *Ship) beside() bool {
	return reads(s.v, func() bool { return len(s.drift.Sides) > 0 || s.drift.Stashed > 0 })
}

// BringHome brings home what ships have now, and returns the board of that moment. Without names these are all ships.
func (v *Voyage) BringHome(ctx context.Context, names []string) fleet.Board {
	ships := reads(v, func() (ships []*Ship) {
		for name, s := range v.ships {
			if len(names) == 0 || slices.Contains(names, name) {
				ships = append(ships, s)
			}
		}
		return ships
	})
	var all gosync.WaitGroup
	for _, s := range ships {
		all.Go(func() {
			if _, err := s.bringHome(ctx); err != nil {
				v.log.Warn("bring home", "ship", s.name, "error", err)
			}
		})
	}
	all.Wait()
	return v.Board()
}
