package voyage

import (
	"context"
	"fmt"
	"os"
	"strings"
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
	if v.info.Check <= 0 {
		return
	}
	for retry.Sleep(v.ctx, min(time.Minute, v.info.Check)) == nil {
		v.checkPool(time.Now())
	}
}

// checkPool writes the state of the workers to the pool's log, once in each interval, and tells workers to commit that have not
// for as long. Time that helm could not see does not count: a worker waits for something or is out of reach, or the hub sleeps.
func (v *Voyage) checkPool(now time.Time) {
	awake := v.common.Awake(now)
	var status string
	changes(v, func() {
		if v.statusAt.IsZero() {
			v.statusAt = now
		}
		if now.Sub(v.statusAt) >= v.info.Check {
			v.statusAt = now
			status = v.poolStatus(now)
		}
		for _, f := range v.roster.Now().Ships {
			if s := v.ships[f.Name]; s != nil {
				s.checkWork(now, awake)
			}
		}
	})
	if err := v.logPool(status); err != nil {
		v.log.Warn("status log", "error", err)
	}
}

// checkWork tells the ship's agent to commit when that is due. The caller holds v.mu.
func (s *Ship) checkWork(now, awake time.Time) {
	t := s.v.look().Held(s.name)
	if t == nil {
		s.work = pool.Work{}
		return
	}
	works := s.reach.Conn() != nil && s.known.State.State == proto.StateWorking && resolve.Status(now, s.v.knownOf(s.v.roster.Ship(s.name))).Word == fleet.Working
	if s.work.Since.IsZero() || !works || s.work.Since.Before(awake) {
		s.work.Since = now
		return
	}
	if now.Sub(s.copies.Now().Copied) > copies.Rest || !s.work.IsDue(now, s.v.info.Check) {
		return
	}
	s.work.Nudged = now
	s.work.Nudges++
	s.v.requestBoard()
	if !s.agent.Hooks || !s.agent.Talks {
		return // what it is told would begin another turn
	}
	s.v.jobs.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, time.Minute)
		defer cancel()
		if _, err := s.sendMessage(ctx, pool.Nudge); err != nil && s.ctx.Err() == nil {
			s.v.log.Warn("worker could not be told to commit", "ship", s.name, "error", err)
		}
	})
}

// committed takes in the commit that the ship's tree stands on. The caller holds v.mu.
func (s *Ship) committed(now time.Time, head string) {
	if s.head != head && s.head != "" {
		s.work = pool.Work{Since: now}
		s.v.requestBoard()
	}
	s.head = head
}

// maxStatusLog is how large the log of a pool gets before it is put aside, in bytes.
const maxStatusLog = 1 << 20

// poolStatus returns a line for each worker. The caller holds v.mu.
func (v *Voyage) poolStatus(now time.Time) string {
	var b strings.Builder
	for _, s := range v.roster.Now().Ships {
		fmt.Fprintf(&b, "%s %s %s", now.UTC().Format(time.RFC3339), s.Name, resolve.Status(now, v.knownOf(s)).Word)
		if t := v.look().Held(s.Name); t != nil {
			b.WriteString(" dispatch " + t.ID)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// logPool writes lines to the pool's log.
func (v *Voyage) logPool(lines string) error {
	if lines == "" {
		return nil
	}
	path := v.dir.StatusLog()
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
