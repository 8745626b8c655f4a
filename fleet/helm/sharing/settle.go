package sharing

import (
	"fmt"
	"time"

	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/retry"
)

// Settle finishes what a crash interrupted, once Redis answers.
func (s *Sharing) Settle() {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		err := s.settleCrash()
		if err == nil {
			return
		}
		s.Log.Error("settle", "error", err)
		if retry.Sleep(s.Context, pause) != nil {
			return
		}
	}
}

// SettleForgotten settles what follows when Redis has forgotten the last changes of this hub, and other hubs have gone on without them. Only
// one goroutine calls it.
func (s *Sharing) SettleForgotten() {
	n := s.Store.Forgot() - s.forgot
	if n == 0 {
		return
	}
	s.forgot += n
	s.Notes.Tell(fmt.Sprintf("Redis has forgotten the last %d changes of this hub's, and other hubs have gone on without them: it is to save every write (appendfsync always)", n))
	s.Go(s.Settle)
}

// settleCrash settles what a crash of this hub left open of its claims, merges and reverts.
func (s *Sharing) settleCrash() error {
	if err := s.Hinders.CheckRedis(); err != nil {
		return err
	}
	if err := s.Work.Refresh(s.Context); err != nil {
		return s.Hinders.OrAway("", err)
	}
	s.Claims.NameDropped()
	history, err := s.Claims.History()
	if err != nil {
		return err
	}
	if err := s.Claims.ReopenReverted(kind.Reverted(s.Info.SessionID(), history)); err != nil {
		return err
	}
	return s.Claims.Settle()
}
