package need

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"ocaptain/fleet"
)

// rates finds ships that begin nothing because they cost too much within an hour, unless something else keeps them
// from it.
func (s *sight) rates() (all []Need) {
	if !s.open || s.Paused(s.now) != "" {
		return nil
	}
	for i := range s.Ships {
		if is := &s.Ships[i]; is.Rate.IsReached() && is.Phase == fleet.Afloat && fleet.Paused(s.now, is.Pause, fleet.Budget{}) == "" {
			why := fmt.Sprintf("its agent may cost $%.2f within an hour, and begins nothing until %s", is.Rate.Max, is.Rate.Until.Local().Format("15:04"))
			all = append(all, Need{Ships: []string{is.Name}, Why: why, Since: is.Rate.Since})
		}
	}
	return all
}

// budget finds a budget that is spent, or soon will be.
func (s *sight) budget() []Need {
	if !s.Budget.IsNear() || s.Phase == fleet.Complete || s.Phase == fleet.Sinking || s.Phase == fleet.Sunk {
		return nil
	}
	n := Need{Why: "its agents have cost " + s.Budget.String(), Since: s.Budget.Since, Number: int(math.Ceil(2 * max(s.Budget.Max, s.Budget.Spent)))}
	if s.Budget.IsReached() {
		n.Why += ", and begin nothing more"
	}
	return []Need{n}
}

// proposals finds proposals that wait for the captain. All proposals of a ship that may make no more are one need.
func (s *sight) proposals() (all []Need) {
	waiting := map[string]int{}
	for i := range s.Proposals {
		waiting[s.Proposals[i].Ship]++
	}
	flooded := map[string]bool{}
	for i := range s.Proposals {
		p := &s.Proposals[i]
		if flooded[p.Ship] {
			continue
		}
		n := Need{Task: p.Task, Why: p.Text, Since: p.At, Number: p.ID}
		if p.Unacceptable(s.Voyage.Kind, s.Phase) != "" {
			n.Do = DoReject
		}
		if flooded[p.Ship] = waiting[p.Ship] >= fleet.MaxProposals; flooded[p.Ship] {
			n.Why = fmt.Sprintf("%d changes, and no more are taken before you decide; the first: %s", waiting[p.Ship], p.Text)
		}
		if p.Ship != "" {
			n.Ships = []string{p.Ship}
		}
		all = append(all, n)
	}
	return all
}

// maxRefused is how long a usage limit without a known end, or errors of a service, may last before they become a
// need.
const maxRefused = time.Hour

// limited finds ships whose service has refused them for too long. They are one need, since most share a login.
func (s *sight) limited() []Need {
	if !s.open {
		return nil
	}
	var n Need
	for i := range s.Ships {
		is := &s.Ships[i]
		if is.Refused.IsZero() || s.now.Sub(is.Refused) < maxRefused {
			continue
		}
		if len(n.Ships) == 0 || is.Refused.Before(n.Since) {
			n.Since = is.Refused
		}
		if n.Ships = append(n.Ships, is.Name); is.State.Why != "" {
			n.Why = is.State.Why
		}
	}
	if len(n.Ships) == 0 {
		return nil
	}
	n.Why = cmp.Or(n.Why, "it does not say why")
	return []Need{n}
}
