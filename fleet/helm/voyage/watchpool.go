package voyage

import (
	"context"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/copies"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/retry"
)

// watchPool looks at the workers of a pool again and again.
func (v *Voyage) watchPool() {
	if v.Info.Check <= 0 {
		return
	}
	for retry.Sleep(v.Context, min(time.Minute, v.Info.Check)) == nil {
		v.checkPool(time.Now())
	}
}

// checkPool writes the states of the workers to the pool's log when they are due, and tells workers to commit.
func (v *Voyage) checkPool(now time.Time) {
	awake := v.common.Awake(now)
	var log string
	changes(v, func() {
		var tell []string
		if log, tell = v.commits.Look(now, awake, v.Info.Check, v.seenWorkers(now)); len(tell) > 0 {
			v.requestBoard()
		}
		for _, name := range tell {
			s := v.ships[name]
			if !s.Agent.Hooks || !s.Agent.Talks {
				continue // what it is told would begin another turn
			}
			v.Go(s.tellToCommit)
		}
	})
	if err := v.logPool(log); err != nil {
		v.Log.Warn("status log", "error", err)
	}
}

// seenWorkers returns what is to be seen of the workers that have a machine. The caller holds v.mu.
func (v *Voyage) seenWorkers(now time.Time) (all []pool.Seen) {
	for _, f := range v.Roster.Now().Ships {
		is := pool.Seen{Name: f.Name, Status: resolve.Status(now, v.knownOf(f)).Word}
		if t := v.Look().Held(f.Name); t != nil {
			is.Task = t.ID
		}
		if s := v.ships[f.Name]; s != nil {
			is.Works = s.Reach.Conn() != nil && s.known.State.State == proto.StateWorking && is.Status == fleet.Working
			is.Copied = now.Sub(s.Copies.Now().Copied) <= copies.Rest
		}
		all = append(all, is)
	}
	return all
}

func (s *Ship) tellToCommit() {
	ctx, cancel := context.WithTimeout(s.Context, time.Minute)
	defer cancel()
	if _, err := s.sendMessage(ctx, pool.Nudge); err != nil && s.Context.Err() == nil {
		s.v.Log.Warn("worker could not be told to commit", "ship", s.Name, "error", err)
	}
}

// maxStatusLog is how large the log of a pool gets before it is put aside, in bytes.
const maxStatusLog = 1 << 20

// logPool writes lines to the pool's log.
func (v *Voyage) logPool(lines string) error {
	if lines == "" {
		return nil
	}
	path := v.Dir.StatusLog()
	if info, err := os.Stat(path); err == nil && info.Size() > maxStatusLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(lines)
	return err
}
