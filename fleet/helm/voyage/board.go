package voyage

import (
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/keeper"
)

// Board is the voyage as a reader should see it now. It changes nothing.
func (v *Voyage) Board() fleet.Board {
	snap := v.Store.Snapshot()
	return reads(v, func() fleet.Board {
		now := time.Now()
		b := v.paintBoard(now, v.common.Awake(now), snap, v.Look())
		b.Helm, b.Journal, b.Notes, b.Orphans = os.Getpid(), v.journal.Size(), v.Notes.List(), v.common.Orphans()
		b.Disk, b.Redis = v.Hinders.Disk(), v.Hinders.Redis()
		for i := range b.Ships {
			ship := &b.Ships[i]
			if n, why := v.Post.Unread(ship.Name); n > 0 {
				ship.Queued, ship.QueuedWhy = n, v.queuedLocked(ship.Name, why)
			}
		}
		return b
	})
}

// newKeeper returns what keeps the voyage's files.
func newKeeper(v *Voyage) *keeper.Keeper {
	return keeper.New(keeper.Options{
		Core: v.Core, Journal: v.journal, Restate: v.restate,
		Board: func() fleet.Board {
			v.noteIdle(time.Now())
			there := map[string]bool{}
			for _, f := range v.Roster.Now().Ships {
				there[f.Name] = true
			}
			task := v.Store.Snapshot().Task // drop what no ship can ask for any more, so that a long voyage stays small
			v.Records.Forget(task, there)
			v.Spending.Forget(there)
			v.Steering.Forget(task)
			b := v.Board()
			v.caller.Show(&b) // even if it could not be written
			return b
		},
	})
}
