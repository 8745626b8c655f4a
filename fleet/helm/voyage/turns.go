package voyage

import (
	"ocaptain/tasks"
)

// resumeTurns counts turns again after a restart of helm, which may have come in the middle of an interruption. The caller holds v.mu.
func (s *Ship) resumeTurns() {
	t := s.v.Store.Snapshot().Held(s.Name)
	if t == nil {
		return
	}
	s.v.Spending.BeginTurns(s.Name, s.Record().Built, tasks.ClaimID(t.ID, t.Epoch))
	s.countTurns()
}

// countTurns ends the claim under which an agent has taken as many turns as it may. The caller holds v.mu.
func (s *Ship) countTurns() {
	if s.restoring {
		return
	}
	most := s.v.Info.MaxTurns(s.Role)
	if claim, took := s.v.Spending.EndTurns(s.Name, most); claim != "" {
		s.v.Go(func() { s.v.Requests.EndTurns(s.Ship, claim, took, most) })
	}
}
