package voyage

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kept"
	"ocaptain/fleet/retry"
)

// Repaint is the longest time between two boards: statuses age without any event.
const Repaint = 20 * time.Second

// painter writes snapshot.json after changes: at once after a quiet time, and not
// so often that writing takes more than a tenth of the time, unless the disk is slow: what is told must not be old.
func (v *Voyage) painter() {
	slow := time.NewTicker(Repaint)
	defer slow.Stop()
	for {
		select {
		case <-v.Paint:
		case <-slow.C:
		case <-v.Context.Done():
			v.save()
			return
		}
		began := time.Now()
		v.save()
		if retry.Sleep(v.Context, max(200*time.Millisecond, min(10*time.Since(began), time.Second))) != nil {
			v.save()
			return
		}
	}
}

// save writes the board, and what could not be written before. The captain is called for what is on it also where it cannot be
// written.
func (v *Voyage) save() {
	v.missDir()
	_ = v.Roster.Save() // or with the next board
	v.Spending.Save()
	err := v.saveBoard()
	if err != nil {
		v.Log.Error("snapshot.json", "error", err)
		_ = v.Hinders.TryRoom() // which tells, and is tried at the next occasion
		if kept.ReserveOf(string(v.Dir)).Free() {
			err = v.saveBoard()
		}
	}
	if err == nil {
		kept.ReserveOf(string(v.Dir)).Keep(v.Dir.BoardFile())
		_ = v.Hinders.CheckDisk()
	}
}

// saveBoard writes the board as it is now.
func (v *Voyage) saveBoard() error {
	v.noteIdle(time.Now())
	v.forgetPast()
	b := v.Board()
	v.caller.Show(&b)
	return v.files.Write(v.Dir.BoardFile(), &b, 0o600)
}

// missDir has all be written again once the voyage's directory is back, if somebody has moved it away. Nothing is put in its place,
// and helm has what it needs to sink the ships.
func (v *Voyage) missDir() {
	if _, err := os.Stat(string(v.Dir)); errors.Is(err, fs.ErrNotExist) {
		v.Roster.Outdate()
	}
}

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
