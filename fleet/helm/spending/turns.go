package spending

import "ocaptain/fleet/helm/facts"

// BeginTurns begins to count turns for a claim of a ship, unless it counts for that claim already. built numbers the
// ship's machine.
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

// EndTurns returns the claim of a ship if its agent has taken most turns or more under it, and the number of turns.
// Otherwise it returns "". It returns a claim once, unless EndTurnsAgain is called.
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

// EndTurnsAgain makes the next EndTurns return the same claim again, since the claim could not be ended.
func (s *Spending) EndTurnsAgain(ship string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.is.Usage.Ships[ship]; u != nil {
		u.Over = false
	}
}

// TurnOf converts the running turn number n of a ship's machine to a number within the task, if turns are limited.
func (s *Spending) TurnOf(ship string, n int, limited bool) int {
	if !limited {
		return max(0, min(n, facts.MaxTurns))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.is.Usage.TurnOf(ship, n)
}
