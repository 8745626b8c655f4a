package helm

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// repaint is the longest time between two boards: statuses age without any event.
const repaint = 20 * time.Second

// painter writes snapshot.json after changes: at once after a quiet time, and not
// so often that writing takes more than a tenth of the time, unless the disk is slow: what is told must not be old.
func (v *voyage) painter() {
	slow := time.NewTicker(repaint)
	defer slow.Stop()
	for {
		select {
		case <-v.paint:
		case <-slow.C:
		case <-v.ctx.Done():
			v.save()
			return
		}
		began := time.Now()
		v.save()
		if retry.Sleep(v.ctx, max(200*time.Millisecond, min(10*time.Since(began), time.Second))) != nil {
			v.save()
			return
		}
	}
}

// save writes the board, and what could not be written before. The captain is called for what is on it also where it cannot be
// written.
func (v *voyage) save() {
	v.missDir()
	_ = v.saveFleet() // or with the next board
	v.saveUsage()
	err := v.saveBoard()
	if err != nil {
		v.log.Error("snapshot.json", "error", err)
		_ = v.tryRoom() // which tells, and is tried at the next occasion
		if v.freeReserve() {
			err = v.saveBoard()
		}
	}
	if err == nil {
		v.keepReserve()
		_ = v.checkDisk()
	}
}

// saveBoard writes the board as it is now.
func (v *voyage) saveBoard() error {
	v.noteIdle(time.Now())
	v.forgetPast()
	b := v.currentBoard()
	v.caller.show(&b)
	return v.files.write(v.dir.BoardFile(), &b, 0o600)
}

// missDir has all be written again once the voyage's directory is back, if somebody has moved it away. Nothing is put in its place,
// and helm has what it needs to sink the ships.
func (v *voyage) missDir() {
	if _, err := os.Stat(string(v.dir)); errors.Is(err, fs.ErrNotExist) {
		v.outdateFleet()
	}
}

// setHead notes where the branch is.
func (v *voyage) setHead(commit string) {
	changes(v, func() {
		v.head = commit
		v.requestBoard()
	})
}

// currentBoard is the voyage as a reader should see it now. It changes nothing.
func (v *voyage) currentBoard() fleet.Board {
	snap := v.store.Snapshot()
	return reads(v, func() fleet.Board {
		now := time.Now()
		b := fleet.Board{
			At: now, Helm: os.Getpid(), Journal: v.journal.Size(), Voyage: v.info, Phase: v.fleet.Phase, Since: v.fleet.Since,
			Verify: v.fleet.Verify, Head: v.head, Problems: snap.Problems, Notes: v.notes.list(),
			Pause: v.facts.Pause, Budget: v.budget(),
			Bill: v.guards.AddUp(now, &v.fleet), Guard: v.watch.Why(""),
			AwakeAt: v.helm.awake.since(now), Disk: v.hinders.Disk, Repository: v.hinders.Repository, Unverified: v.hinders.Verify,
			Orphans: v.helm.orphans.names(), Proposals: v.facts.Proposals.List(),
			Ships: []fleet.ShipView{}, Tasks: make([]tasks.State, 0, len(snap.Tasks)), InTheWay: map[string]fleet.Hindrance{},
		}
		type count struct {
			held   *tasks.State
			merged int
		}
		counts := map[string]count{}
		for _, t := range snap.Tasks {
			if t.Internal() {
				continue
			}
			b.Tasks = append(b.Tasks, *t)
			if is, waits := v.hinders.Blocks(t.ID); waits && (t.Status == tasks.InProgress || t.InReview()) {
				b.InTheWay[t.ID] = is
			}
			c := counts[t.Owner]
			switch t.Status {
			case tasks.InProgress:
				c.held = t
			case tasks.Completed:
				c.merged++
			}
			counts[t.Owner] = c
		}
		if v.runs > 0 {
			b.Unverified = fleet.Hindrance{}
		}
		b.Steering = v.steeringView(b.Tasks)
		b.Usage = v.usage.Sum()
		done := v.kind.IsDone(snap)
		for _, f := range v.fleet.Ships {
			c := counts[f.Name]
			view := fleet.ShipView{
				Ship: *f, Completed: c.merged,
				Costs: v.guards.HasCosts(f.Provider), Price: v.guards.Prices[f.Provider], Guard: v.watch.Why(f.Name),
			}
			known := fleet.Known{Ship: *f}
			if s := v.ships[f.Name]; s != nil {
				known = s.knownNow(f)
				s.standing(&known)
				is, neglected := s.idleNow(now, c.held)
				known.FreeAt, known.Ready, known.ReadyAt = is.free, neglected, is.neglects
				if c.held != nil {
					claim := tasks.ClaimID(c.held.ID, c.held.Epoch)
					known.Veto = s.refusals.VetoOf(claim)
					view.Clash, _ = s.refusals.ClashOf(claim)
					if is := v.asksOf(c.held); is != nil {
						known.Asks, known.AsksAt = "you approve or reject changes of files that steer agents: "+is.FilesText(), is.At
					}
				}
				if c.held != nil && v.kind.Gives() {
					view.Committed, view.Nudges = s.work.Since, s.work.Nudges
				}
				view.Refused = s.refusedSince(now)
				view.Via, view.UsualGap = s.via, s.gaps.longest()
				view.State, view.Conflicts, view.Live, view.Unmerged = s.known.State, v.facts.Claims.Conflicts(f.Name), s.live, s.drift
				view.Copied, view.Uncopied = s.copied, s.uncopied
				view.Ignored, _ = s.ignores.known()
				view.Slowed, view.SlowedAt = s.slowed(now)
			}
			if u := v.usage.Ships[f.Name]; u != nil {
				view.Usage = u.Sum()
				if u.Built == f.Built {
					view.Turn = u.Turn
				}
				if view.MaxTurns = v.info.MaxTurns(f.Role); view.MaxTurns > 0 {
					view.Turn = 0
					if c.held != nil && u.Claim == tasks.ClaimID(c.held.ID, c.held.Epoch) {
						view.Turn = u.ClaimTurns()
					}
				}
			}
			if c.held != nil {
				view.Task = c.held.ID
				known.Held, known.HeldAt = c.held.ID, c.held.ClaimedAt
			}
			if p := v.paces[f.Name]; p != nil {
				known.Awaits, known.Quiet = p.awaits, p.quiet
			}
			known.AllDone, known.AwakeAt = done, b.AwakeAt
			view.Status = fleet.Resolve(now, known)
			if n, why := v.post.unread(f.Name); n > 0 {
				view.Queued, view.QueuedWhy = n, v.queuedLocked(f.Name, why)
			}
			b.Ships = append(b.Ships, view)
		}
		return b
	})
}
