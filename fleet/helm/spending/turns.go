package spending

import "ocaptain/fleet/helm/facts"

// BeginTurns counts turns from now on for a claim of a ship, whose machine is the built-th, unless it does already.
func (s *Spending) BeginTurns(ship string, built int, claim string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.is.Usage.Of(ship, built)
	if u.Claim == claim {
		return
	}
	u.Claim, u.Begun, u.Over = claim, u.Turn, false
	s.is.Usage.Changed = true
}

// EndTurns returns the claim under which the agent of a ship has taken as many turns as it may, and how many it took; "" for none. It
// returns a claim once, unless EndTurnsAgain is called.
func (s *Spending) EndTurns(ship string, most int) (claim string, took int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.is.Usage.Ships[ship]
	if u == nil || most <= 0 || u.ClaimTurns() < most || u.Claim == "" || u.Over {
		return "", 0
	}
	u.Over = true
	return u.Claim, u.ClaimTurns()
}

// EndTurnsAgain has the next EndTurns return a claim that could not be ended.
func (s *Spending) EndTurnsAgain(ship string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.is.Usage.Ships[ship]; u != nil {
		u.Over = false
	}
}

// TurnOf converts a turn that the machine of a ship counts: where turns are limited, to a turn within the task.
func (s *Spending) TurnOf(ship string, n int, limited bool) int {
	if !limited {
		return max(0, min(n, facts.MaxTurns))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.Usage.TurnOf(ship, n)
}
