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

// State is what is known of a voyage's spending. The zero State is that of a new voyage.
type State struct {
	Usage   facts.Usage
	Pauses  facts.Pauses
	MaxCost *float64  // the budget that the captain has set since the voyage sailed, nil for none
	Near    time.Time // when the budget was seen to be nearly spent
	Full    time.Time // when it was seen to be spent, which the captain was told
}

// Add takes over a record of the journal. A record of another kind, or an unreadable record, changes nothing.
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

// records lists the records by which an empty State comes to have these pauses and this budget.
func (s *State) records() []facts.Record {
	all := s.Pauses.Records()
	if s.MaxCost != nil {
		all = append(all, facts.Record{Kind: facts.KindBudget, Data: *s.MaxCost})
	}
	return all
}

// budget is what the voyage may cost and has cost.
func (s *State) budget(g *fleet.Guards) fleet.Budget {
	b := fleet.Budget{Max: g.MaxCost, Spent: s.Usage.Cost(), Since: s.Near, Full: s.Full}
	if s.MaxCost != nil {
		b.Max = *s.MaxCost
	}
	return b
}

// paused says why the voyage's ships begin nothing, "" when they may.
func (s *State) paused(g *fleet.Guards, now time.Time) string {
	return fleet.Paused(now, s.Pauses[""], s.budget(g))
}

// pausedShip says why a ship, also a coming one, begins nothing; "" when it may.
func (s *State) pausedShip(g *fleet.Guards, name string, now time.Time) string {
	return cmp.Or(s.paused(g, now), fleet.Paused(now, s.Pauses[name], fleet.Budget{}), s.rate(g, name, now).String())
}

// rate is what the agent of a ship has cost within an hour, when that is too much.
func (s *State) rate(g *fleet.Guards, name string, now time.Time) fleet.Rate {
	u, most := s.Usage.Ships[name], g.MaxRate
	if u == nil || u.RestsUntil(now, most).IsZero() {
		return fleet.Rate{}
	}
	return fleet.Rate{Max: most, Spent: u.HourCost(now), Since: u.Rests, Until: u.RestsUntil(now, most)}
}

// stopsSince returns when a ship's agent was to be interrupted, the zero time where it ends its turn.
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

// notPaused says why a ship, or with "" the voyage of that id, has no pause that the captain could end, and what helps instead; "" when it
// has one.
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

// moreBudget is what the captain types to raise the budget of a voyage.
func moreBudget(id string) string { return "ocaptain budget USD --voyage " + id }

// afterPause says what a ship, or with "" the voyage, does after a pause.
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

// watch notes that the budget is nearly spent, or spent. It reports whether either begins.
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

// allowance is what the agent of a ship may cost while helm is away: what it is known to have cost on this machine, the built-th, and an
// equal part of what is left of the budget, so that all ships together keep within it.
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
