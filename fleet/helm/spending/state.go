// Package spending knows what a voyage's agents have used, and so whether its ships may begin anything: by its budget, by what a ship costs
// within an hour, and by the captain's pauses.
package spending

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/journal"
)

// State is the state of a voyage's spending. The zero State is that of a new voyage.
type State struct {
	Usage   facts.Usage
	Pauses  facts.Pauses
	MaxCost *float64  // the budget that the captain has set since the voyage sailed, nil for none
	Near    time.Time // when the budget was seen to be nearly spent
	Full    time.Time // when the budget was seen to be spent; the captain was told
}

// Add applies a record of the journal. A record of another kind, or an unreadable record, changes nothing.
func (s *State) Add(r journal.Record) {
	switch r.Kind {
	case facts.KindPause:
		var is facts.Paused
		if json.Unmarshal(r.Data, &is) == nil {
			s.Pauses.Set(is)
		}
	case facts.KindBudget:
		var most float64
		if json.Unmarshal(r.Data, &most) == nil {
			s.MaxCost = &most
		}
	}
}

// records lists the records from which Add restores the pauses and the budget.
func (s *State) records() []facts.Record {
	all := s.Pauses.Records()
	if s.MaxCost != nil {
		all = append(all, facts.Record{Kind: facts.KindBudget, Data: *s.MaxCost})
	}
	return all
}

// budget returns what the voyage may cost and has cost.
func (s *State) budget(g *fleet.Guards) fleet.Budget {
	b := fleet.Budget{Max: g.MaxCost, Spent: s.Usage.Cost(), Since: s.Near, Full: s.Full}
	if s.MaxCost != nil {
		b.Max = *s.MaxCost
	}
	return b
}

// paused returns why the voyage is paused, "" if it is not.
func (s *State) paused(g *fleet.Guards, now time.Time) string {
	return fleet.Paused(now, s.Pauses[""], s.budget(g))
}

// pausedShip returns why a ship is paused, by itself or with the voyage, "" if it is not. The ship need not exist
// yet.
func (s *State) pausedShip(g *fleet.Guards, name string, now time.Time) string {
	return cmp.Or(s.paused(g, now), fleet.Paused(now, s.Pauses[name], fleet.Budget{}), s.rate(g, name, now).String())
}

// rate returns what a ship's agent has cost within an hour if that is too much, else the zero Rate.
func (s *State) rate(g *fleet.Guards, name string, now time.Time) fleet.Rate {
	u, most := s.Usage.Ships[name], g.MaxRate
	if u == nil || u.RestsUntil(now, most).IsZero() {
		return fleet.Rate{}
	}
	return fleet.Rate{Max: most, Spent: u.HourCost(now), Since: u.Rests, Until: u.RestsUntil(now, most)}
}

// stopsSince returns since when a pause demands that the ship's agent is interrupted, the zero time if the agent may
// end its turn.
func (s *State) stopsSince(g *fleet.Guards, name string, now time.Time) (since time.Time) {
	for _, of := range []string{"", name} {
		if p := s.Pauses[of]; p != nil && !p.IsOver(now) && p.Now.After(since) {
			since = p.Now
		}
	}
	if g.StopAtMaxCost && s.budget(g).IsReached() && s.Full.After(since) {
		since = s.Full
	}
	return since
}

// notPaused returns why a ship, or for "" the voyage, has no pause that the captain could end, and what he can do
// instead. It returns "" if there is such a pause.
func (s *State) notPaused(g *fleet.Guards, name, id string, now time.Time) string {
	if s.Pauses[name] != nil || s.rate(g, name, now).IsReached() {
		return ""
	}
	text := cmp.Or(name, id) + " is not paused by you"
	if b := s.budget(g); b.IsReached() {
		return text + ": its budget is spent, " + b.String() + "; set more with " + moreBudget(id)
	}
	if name != "" && s.paused(g, now) != "" {
		return text + " alone: the voyage is; go on with ocaptain resume " + id
	}
	return text
}

// moreBudget returns the command that raises the budget of a voyage.
func moreBudget(id string) string { return "ocaptain budget USD --voyage " + id }

// afterPause returns a text about what a ship, or for "" the voyage, does after a pause.
func (s *State) afterPause(g *fleet.Guards, name string, now time.Time) string {
	u, most := s.Usage.Ships[name], g.MaxRate
	switch why := s.pausedShip(g, name, now); {
	case why != "":
		return "your pause is over, and nothing is begun all the same: " + why
	case u != nil && most > 0:
		return fmt.Sprintf("goes on after a pause; its agent may cost $%.2f more before it is paused for what it costs within an hour", most-u.HourCost(now))
	}
	return "goes on after a pause"
}

// watch records whether the budget is nearly spent or spent, and reports which of these is new.
func (s *State) watch(g *fleet.Guards, now time.Time) (near, full bool) {
	b := s.budget(g)
	if !b.IsNear() {
		s.Near, s.Full = time.Time{}, time.Time{}
		return false, false
	}
	if near = s.Near.IsZero(); near {
		s.Near = now
	}
	switch reached := b.IsReached(); {
	case !reached:
		s.Full = time.Time{}
	case s.Full.IsZero():
		s.Full, full = now, true
	}
	return near, full
}

// allowance returns what the agent of a ship may cost while helm is away: its known cost on the machine number built,
// and an equal part of the remaining budget, so that all ships together stay within the budget.
func (s *State) allowance(g *fleet.Guards, name string, built, ships int) proto.Allowance {
	b := s.budget(g)
	if b.Max == 0 {
		return proto.Allowance{}
	}
	a := proto.Allowance{Bounded: true, USD: max(0, b.Max-b.Spent) / float64(ships), Stop: g.StopAtMaxCost}
	if u := s.Usage.Ships[name]; u != nil && u.Built == built {
		a.USD += u.Now.CostUSD
	}
	return a
}
