package voyage

import (
	"context"
	"errors"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/copies"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// newCopies returns the hub's copies of the ship's tree.
func (s *Ship) newCopies() *copies.Copies {
	v := s.v
	return copies.New(copies.Options{
		Core: v.Core, Ship: s.name, Remote: s,
		Lock: s.lockTree, Unlock: s.tree.Unlock,
		Held:  func() *tasks.State { return v.Store.Snapshot().Held(s.name) },
		Works: func() bool { return reads(v, func() bool { return s.known.State.State == proto.StateWorking }) },
		Stands: func(at time.Time, commit string) {
			changes(v, func() {
				if v.commits.Stands(s.name, commit, at) {
					v.requestBoard()
				}
			})
		},
		Spend: func(n int64) time.Duration {
			return reads(v, func() time.Duration { return s.spendBudget(&s.kept, n) })
		},
	})
}

// CopySoon has the tree copied soon, as something happened on the ship.
func (s *Ship) CopySoon() { s.copies.Soon() }

// recallCopy brings back what the last helm knew of the ship's tree, for as long as the ship can't be reached.
func (s *Ship) recallCopy(old fleet.Board) {
	built := reads(s.v, func() int { return s.known.Ship.Built })
	for i := range old.Ships {
		if was := &old.Ships[i]; was.Name == s.name && was.Built == built {
			s.copies.Recall(copies.State{Live: was.Live, Unmerged: was.Unmerged, Copied: was.Copied, Uncopied: was.Uncopied})
		}
	}
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
		s.copies.Fail(err.Error())
		return nil, err
	}
	if err := s.lockTree(ctx); err != nil {
		return nil, err
	}
	defer s.tree.Unlock()
	if missing, err = s.copies.Bring(ctx); err != nil {
		return missing, err
	}
	if _, err := s.countIgnored(ctx); err != nil {
		s.v.Log.Warn("ignored files", "ship", s.name, "error", err)
		missing = append(missing, "the files that git ignores, which could not be listed: "+clean.Bound(err.Error(), 300))
	}
	return missing, nil
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
				v.Log.Warn("bring home", "ship", s.name, "error", err)
			}
		})
	}
	all.Wait()
	return v.Board()
}
