package voyage

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// budget is what the voyage may cost and has cost. The caller holds v.mu.
func (v *Voyage) budget() fleet.Budget {
	b := fleet.Budget{Max: v.guards.MaxCost, Spent: v.usage.Cost(), Since: v.nearBudget, Full: v.fullBudget}
	if v.facts.MaxCost != nil {
		b.Max = *v.facts.MaxCost
	}
	return b
}

// paused says why the voyage's ships begin nothing, "" when they may. The caller holds v.mu.
func (v *Voyage) paused(now time.Time) string {
	return fleet.Paused(now, v.facts.Pauses[""], v.budget())
}

// paused says why the ship begins nothing, "" when it may. The caller holds v.mu.
func (s *Ship) paused(now time.Time) string { return s.v.pausedShip(s.name, now) }

// pausedShip says why a ship, also a coming one, begins nothing; "" when it may. The caller holds v.mu.
func (v *Voyage) pausedShip(name string, now time.Time) string {
	return cmp.Or(v.paused(now), fleet.Paused(now, v.facts.Pauses[name], fleet.Budget{}), v.rate(name, now).String())
}

// rate is what the agent of a ship has cost within an hour, when that is too much. The caller holds v.mu.
func (v *Voyage) rate(name string, now time.Time) fleet.Rate {
	u, most := v.usage.Ships[name], v.guards.MaxRate
	if u == nil || u.RestsUntil(now, most).IsZero() {
		return fleet.Rate{}
	}
	return fleet.Rate{Max: most, Spent: u.HourCost(now), Since: u.Rests, Until: u.RestsUntil(now, most)}
}

// errPaused is what an agent is told that asks for a task while it is paused.
var errPaused = errors.New("your voyage or ship is paused: end your turn, and you are told when it goes on")

// setPause begins pauses of ships, "" for the whole voyage, or ends them with nil.
func (v *Voyage) setPause(ships []string, p *fleet.Pause) error {
	var last *book.Record
	changes(v, func() {
		for _, ship := range ships {
			is := facts.Paused{Ship: ship, Pause: p}
			if was := v.facts.Pauses[ship]; was != nil && p != nil {
				is.Pause = &fleet.Pause{Since: was.Since, Until: p.Until, Now: p.Now}
			}
			v.facts.Pauses.Set(is)
			last = v.book.Add(facts.KindPause, is)
		}
		v.news.Send()
		v.giveSoon()
		v.requestBoard()
	})
	return last.Wait()
}

// allShips is a list of ships that stands for the whole voyage.
var allShips = []string{""}

// Pause has agents stop at the end of their turns, or at once.
func (v *Voyage) Pause(r api.PauseRequest) error {
	now := time.Now()
	if !r.Until.IsZero() && !r.Until.After(now) {
		return api.Refused("%s is over", r.Until.Local().Format(time.DateTime))
	}
	if err := v.afloat(); err != nil {
		return err
	}
	if why := reads(v, func() string { return v.kind.Over(v.fleet.Phase) }); why != "" {
		return api.Refused("%s: there is nothing to pause", why)
	}
	ships := allShips
	if len(r.Ships) > 0 {
		ships = r.Ships
	}
	for _, name := range r.Ships {
		if err := reads(v, func() error { return v.mayPause(name) }); err != nil {
			return err
		}
	}
	p := &fleet.Pause{Since: now, Until: r.Until}
	if r.Now {
		p.Now = now
	}
	if err := v.setPause(ships, p); err != nil {
		return v.hinders.OrAway("", err)
	}
	for _, name := range ships {
		text := reads(v, func() string { return fleet.Paused(now, v.facts.Pauses[name], fleet.Budget{}) })
		v.addNote(fleet.Note{Ship: name, Text: text})
	}
	return nil
}

// mayPause says why a ship cannot be paused, nil when it can: also before it is there. The caller holds v.mu.
func (v *Voyage) mayPause(name string) error {
	switch f := v.fleet.ShipNamed(name); {
	case f == nil:
		return api.NotFound("voyage %s has no %s", v.dir.ID(), name)
	case f.Phase == fleet.Failed || f.Phase == fleet.Going:
		return api.Refused("%s is %s", name, f.Phase)
	}
	return nil
}

// stopsSince returns when the ship's agent was to be interrupted, the zero time where it ends its turn. The caller holds v.mu.
func (s *Ship) stopsSince(now time.Time) (since time.Time) {
	for _, name := range []string{"", s.name} {
		if p := s.v.facts.Pauses[name]; p != nil && !p.IsOver(now) {
			since = latest(since, p.Now)
		}
	}
	if s.v.guards.StopAtMaxCost && s.v.budget().IsReached() {
		since = latest(since, s.v.fullBudget)
	}
	return since
}

// stopLocked interrupts the ship's agent for a pause, once: what the captain tells the agent later is done. A ship that cannot be reached
// now is tried again. The caller holds v.mu.
func (s *Ship) stopLocked(now time.Time) {
	since, state := s.stopsSince(now), s.known.State.State
	switch {
	case since.IsZero() || s.conn == nil || s.stopping || s.stopped.After(since):
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

// isOf reports whether a list of ships has a ship, or stands for all.
func isOf(ships []string, name string) bool {
	return slices.Contains(ships, name) || slices.Equal(ships, allShips)
}

// Unpause ends what pauses ships alone, the captain's pause or what they cost within an hour, or without ships the captain's pause of the
// voyage. It returns what comes of it.
func (v *Voyage) Unpause(ships []string) ([]fleet.Note, error) {
	if len(ships) == 0 {
		ships = allShips
	}
	now := time.Now()
	for _, name := range ships {
		if why := reads(v, func() string { return v.notPaused(name, now) }); why != "" {
			return nil, api.Refused("%s", why)
		}
	}
	changes(v, func() {
		for _, name := range ships {
			if v.rate(name, now).IsReached() {
				v.usage.Ships[name].ForgiveHour()
				v.usage.Changed = true
			}
		}
	})
	v.saveUsage()
	return v.endPause(ships)
}

// notPaused says why a ship, or with "" the voyage, has no pause that the captain could end, and what helps instead; "" when it has one. The
// caller holds v.mu.
func (v *Voyage) notPaused(name string, now time.Time) string {
	if v.facts.Pauses[name] != nil || v.rate(name, now).IsReached() {
		return ""
	}
	text := cmp.Or(name, v.dir.ID()) + " is not paused by you"
	if b := v.budget(); b.IsReached() {
		return text + ": its budget is spent, " + b.String() + "; set more with " + v.command("budget USD")
	}
	if name != "" && v.paused(now) != "" {
		return text + " alone: the voyage is; go on with ocaptain resume " + v.dir.ID()
	}
	return text
}

func (v *Voyage) endPause(ships []string) ([]fleet.Note, error) {
	if err := v.setPause(ships, nil); err != nil {
		return nil, v.hinders.OrAway("", err)
	}
	now := time.Now()
	var notes []fleet.Note
	for _, name := range ships {
		n := fleet.Note{Ship: name, Text: reads(v, func() string { return v.afterPause(name, now) })}
		notes = append(notes, n)
		v.addNote(n)
	}
	v.goOn(ships)
	return notes, nil
}

// afterPause says what a ship, or with "" the voyage, does after a pause. The caller holds v.mu.
func (v *Voyage) afterPause(name string, now time.Time) string {
	u, most := v.usage.Ships[name], v.guards.MaxRate
	switch why := v.pausedShip(name, now); {
	case why != "":
		return "your pause is over, and nothing is begun all the same: " + why
	case u != nil && most > 0:
		return fmt.Sprintf("goes on after a pause; its agent may cost $%.2f more before it is paused for what it costs within an hour", most-u.HourCost(now))
	}
	return "goes on after a pause"
}

// SetBudget sets what the voyage may cost.
func (v *Voyage) SetBudget(r api.BudgetRequest) (fleet.Budget, error) {
	if !(r.Max >= 0) || r.Max > maxBudget {
		return fleet.Budget{}, api.Refused("a budget is from 0, for any sum, to %g US dollars", float64(maxBudget))
	}
	was := reads(v, v.budget)
	written := reads(v, func() *book.Record {
		v.facts.MaxCost, v.nearBudget = &r.Max, time.Time{}
		v.watchBudget(time.Now())
		v.news.Send()
		v.poke.Send()
		v.giveSoon()
		v.requestBoard()
		return v.book.Add(facts.KindBudget, r.Max)
	})
	if err := written.Wait(); err != nil {
		return was, v.hinders.OrAway("", err)
	}
	is := reads(v, v.budget)
	v.addNote(fleet.Note{Text: "its budget is set: " + is.String()})
	if was.IsReached() {
		v.goOn(allShips)
	}
	return is, nil
}

// maxBudget is more than any voyage costs.
const maxBudget = 1e6

// watchBudget notes that the budget is nearly spent, or spent. The caller holds v.mu.
func (v *Voyage) watchBudget(now time.Time) {
	for _, s := range v.ships {
		s.costs.Send()
	}
	b := v.budget()
	if !b.IsNear() {
		v.nearBudget, v.fullBudget = time.Time{}, time.Time{}
		return
	}
	if v.nearBudget.IsZero() {
		v.nearBudget = now
		v.requestBoard()
	}
	if full := b.IsReached(); full == v.fullBudget.IsZero() {
		if v.fullBudget = (time.Time{}); full {
			v.fullBudget = now
			v.addNote(fleet.Note{Text: v.paused(now) + "; to go on: " + v.command("budget USD")})
			v.poke.Send()
		}
	}
}

// watchRate notes that the ship's agent costs too much within an hour. The caller holds v.mu.
func (s *Ship) watchRate(now time.Time) {
	if !s.usage().WatchRate(now, s.v.guards.MaxRate) {
		return
	}
	if rate := s.v.rate(s.name, now); rate.IsReached() {
		s.v.addNote(fleet.Note{Ship: s.name, Text: rate.String()})
	}
	s.v.usage.Changed = true
	s.v.requestBoard()
}

// goOn makes agents go on that were interrupted for a pause, unless they are still paused. Unreachable agents hear it later.
func (v *Voyage) goOn(ships []string) {
	now := time.Now()
	ids := reads(v, func() map[string]string { // ids of messages, by ship
		all := map[string]string{}
		for _, s := range v.ships {
			if isOf(ships, s.name) && s.agent.TakesMessages() && s.isInterrupted() && s.paused(now) == "" {
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
	if over := reads(v, func() []string { return v.facts.Pauses.Over(now) }); len(over) > 0 {
		if _, err := v.endPause(over); err != nil {
			v.log.Warn("end of a pause", "error", err)
		}
	}
	if names := reads(v, func() []string { return v.overspent(now) }); len(names) > 0 {
		v.goOn(names)
	}
	changes(v, func() {
		for _, s := range v.ships {
			s.stopLocked(now)
			if u := v.usage.Ships[s.name]; u != nil && !u.Rests.IsZero() {
				if s.watchRate(now); u.Rests.IsZero() {
					v.news.Send()
					v.giveSoon()
				}
			}
		}
	})
}
