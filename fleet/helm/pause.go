package helm

import (
	"context"
	"errors"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
)

// budget is what the voyage may cost and has cost. The caller holds v.mu.
func (v *voyage) budget() fleet.Budget {
	b := fleet.Budget{Max: v.guards.MaxCost, Spent: v.usage.Cost(), Since: v.nearBudget}
	if v.facts.MaxCost != nil {
		b.Max = *v.facts.MaxCost
	}
	return b
}

// paused says why ships begin nothing, "" when they may. The caller holds v.mu.
func (v *voyage) paused(now time.Time) string { return fleet.Paused(now, v.facts.Pause, v.budget()) }

// errPaused is what an agent is told that asks for a task while its voyage is paused.
var errPaused = errors.New("the voyage is paused: end your turn, and you are told when it goes on")

// setPause begins a pause, or ends it with nil.
func (v *voyage) setPause(p *fleet.Pause) error {
	return reads(v, func() *book.Record {
		v.facts.Pause = p
		v.wakeLocked()
		v.pokeLocked()
		v.giveSoon()
		v.requestBoard()
		return v.book.Add(facts.KindPause, p)
	}).Wait()
}

// pause has agents stop at the end of their turns, or at once.
func (v *voyage) pause(ctx context.Context, r api.PauseRequest) error {
	now := time.Now()
	if !r.Until.IsZero() && !r.Until.After(now) {
		return api.Refused("%s is over", r.Until.Local().Format(time.DateTime))
	}
	if err := v.afloat(); err != nil {
		return err
	}
	p := &fleet.Pause{Since: now, Until: r.Until}
	if was := reads(v, func() *fleet.Pause { return v.facts.Pause }); was != nil {
		p.Since = was.Since
	}
	if err := v.setPause(p); err != nil {
		return v.orAway("", err)
	}
	v.addNote(fleet.Note{Text: reads(v, func() string { return v.paused(now) })})
	if r.Now {
		v.interruptAll(ctx)
	}
	return nil
}

// interruptAll interrupts the agents that work.
func (v *voyage) interruptAll(ctx context.Context) {
	var all gosync.WaitGroup
	defer all.Wait()
	changes(v, func() {
		for _, s := range v.ships {
			if s.conn != nil && s.known.State.State == proto.StateWorking {
				all.Go(func() {
					if _, err := s.interrupt(ctx); err != nil {
						v.log.Warn("pause", "ship", s.name, "error", err)
					}
				})
			}
		}
	})
}

// unpause ends the captain's pause.
func (v *voyage) unpause() error {
	if reads(v, func() bool { return v.facts.Pause == nil }) {
		return api.Refused("%s is not paused by you", v.dir.ID())
	}
	return v.endPause()
}

func (v *voyage) endPause() error {
	if err := v.setPause(nil); err != nil {
		return v.orAway("", err)
	}
	why := reads(v, func() string { return v.paused(time.Now()) })
	if why != "" {
		v.addNote(fleet.Note{Text: "your pause is over, and ships begin nothing all the same: " + why})
		return nil
	}
	v.addNote(fleet.Note{Text: "goes on after a pause"})
	v.goOnAll()
	return nil
}

// setBudget sets what the voyage may cost.
func (v *voyage) setBudget(r api.BudgetRequest) (fleet.Budget, error) {
	if !(r.Max >= 0) || r.Max > mostBudget {
		return fleet.Budget{}, api.Refused("a budget is from 0, for any sum, to %g US dollars", float64(mostBudget))
	}
	was := reads(v, v.budget)
	written := reads(v, func() *book.Record {
		v.facts.MaxCost, v.nearBudget = &r.Max, time.Time{}
		v.watchBudget(time.Now())
		v.wakeLocked()
		v.pokeLocked()
		v.giveSoon()
		v.requestBoard()
		return v.book.Add(facts.KindBudget, r.Max)
	})
	if err := written.Wait(); err != nil {
		return was, v.orAway("", err)
	}
	is := reads(v, v.budget)
	v.addNote(fleet.Note{Text: "its budget is set: " + is.String()})
	if was.IsReached() && reads(v, func() bool { return v.paused(time.Now()) == "" }) {
		v.goOnAll()
	}
	return is, nil
}

// mostBudget is more than any voyage costs.
const mostBudget = 1e6

// watchBudget notes that the budget is nearly spent, or spent. The caller holds v.mu.
func (v *voyage) watchBudget(now time.Time) {
	b := v.budget()
	if !b.IsNear() {
		v.nearBudget, v.overBudget = time.Time{}, false
		return
	}
	if v.nearBudget.IsZero() {
		v.nearBudget = now
		v.requestBoard()
	}
	if over := b.IsReached(); over != v.overBudget {
		if v.overBudget = over; over {
			v.addNote(fleet.Note{Text: v.paused(now) + "; to go on: " + v.command("budget USD")})
		}
	}
}

// goOnAll has agents go on that were interrupted for the pause.
func (v *voyage) goOnAll() {
	changes(v, func() {
		for _, s := range v.ships {
			if s.listens() && s.known.State.State == proto.StateWaiting && s.known.State.Why == proto.Interrupted {
				v.jobs.Go(func() { s.tellToGoOn(time.Now()) })
			}
		}
	})
}

// endPauses ends a pause whose time has come.
func (v *voyage) endPauses(now time.Time) {
	if over := reads(v, func() bool { p := v.facts.Pause; return p != nil && p.IsOver(now) }); over {
		if err := v.endPause(); err != nil {
			v.log.Warn("end of a pause", "error", err)
		}
	}
}
