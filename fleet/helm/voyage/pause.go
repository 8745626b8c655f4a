package voyage

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// paused says why the ship begins nothing, "" when it may.
func (s *Ship) paused(now time.Time) string { return s.v.spending.PausedShip(s.name, now) }

// errPaused is what an agent is told that asks for a task while it is paused.
var errPaused = errors.New("your voyage or ship is paused: end your turn, and you are told when it goes on")

// Pause has agents stop at the end of their turns, or at once.
func (v *Voyage) Pause(r api.PauseRequest) error {
	now := time.Now()
	if !r.Until.IsZero() && !r.Until.After(now) {
		return api.Refused("%s is over", r.Until.Local().Format(time.DateTime))
	}
	if err := v.roster.Afloat(); err != nil {
		return err
	}
	if why := v.kind.Over(v.roster.Now().Phase); why != "" {
		return api.Refused("%s: there is nothing to pause", why)
	}
	for _, name := range r.Ships {
		if err := v.mayPause(name); err != nil {
			return err
		}
	}
	return v.spending.Pause(r)
}

// mayPause says why a ship cannot be paused, nil when it can: also before it is there.
func (v *Voyage) mayPause(name string) error {
	switch f := v.roster.Ship(name); {
	case f == nil:
		return api.NotFound("voyage %s has no %s", v.dir.ID(), name)
	case f.Phase == fleet.Failed || f.Phase == fleet.Going:
		return api.Refused("%s is %s", name, f.Phase)
	}
	return nil
}

// stopLocked interrupts the ship's agent for a pause, once: what the captain tells the agent later is done. A ship that cannot be reached
// now is tried again. The caller holds v.mu.
func (s *Ship) stopLocked(now time.Time) {
	since, state := s.v.spending.StopsSince(s.name, now), s.known.State.State
	switch {
	case since.IsZero() || s.reach.Conn() == nil || s.stopping || s.stopped.After(since):
	case state == proto.StateWorking:
		s.stopping = true
		s.v.jobs.Go(func() {
			_, err := s.Interrupt(s.ctx)
			changes(s.v, func() {
				if s.stopping = false; err == nil {
					s.stopped = time.Now()
				}
			})
			if err != nil {
				s.v.log.Warn("pause", "ship", s.name, "error", err)
			}
		})
	case s.v.look().Held(s.name) == nil && (state == proto.StateIdle || state == proto.StateResting):
		s.stopped = now
	}
}

// Unpause ends what pauses ships alone, or without ships the captain's pause of the voyage. It returns what comes of it.
func (v *Voyage) Unpause(ships []string) ([]fleet.Note, error) {
	notes, err := v.spending.Unpause(ships)
	if err == nil {
		v.goOn(ships)
	}
	return notes, err
}

// SetBudget sets what the voyage may cost.
func (v *Voyage) SetBudget(r api.BudgetRequest) (fleet.Budget, error) {
	is, goOn, err := v.spending.SetBudget(r.Max)
	if goOn {
		v.goOn(nil)
	}
	return is, err
}

// goOn makes agents of ships, all where none is named, go on that were interrupted for a pause, unless they are still paused. Unreachable
// agents hear it later.
func (v *Voyage) goOn(ships []string) {
	now := time.Now()
	ids := reads(v, func() map[string]string { // ids of messages, by ship
		all := map[string]string{}
		for _, s := range v.ships {
			if (len(ships) == 0 || slices.Contains(ships, s.name)) && s.agent.TakesMessages() && s.isInterrupted() && s.paused(now) == "" {
				all[s.name] = fmt.Sprintf("pause-%d", s.known.StateAt.UnixMilli())
			}
		}
		return all
	})
	for name, id := range ids {
		b, err := v.post.Box(name)
		if err == nil {
			err = b.Add(mailbox.Message{ID: id, At: now, Text: told.AfterPause})
		}
		if err != nil {
			v.log.Warn("end of a pause", "ship", name, "error", err)
		}
	}
}

// isInterrupted reports whether the agent waits because it was interrupted. The caller holds v.mu.
func (s *Ship) isInterrupted() bool {
	is := s.known.State
	return is.State == proto.StateWaiting && (is.Why == proto.Interrupted || is.Why == proto.Overspent)
}

// endPauses ends pauses whose time has come.
func (v *Voyage) endPauses(now time.Time) {
	switch over := v.spending.EndPauses(now); {
	case slices.Contains(over, ""):
		v.goOn(nil)
	case len(over) > 0:
		v.goOn(over)
	}
	if names := reads(v, func() []string { return v.overspent(now) }); len(names) > 0 {
		v.goOn(names)
	}
	changes(v, func() {
		for _, s := range v.ships {
			s.stopLocked(now)
		}
	})
}
