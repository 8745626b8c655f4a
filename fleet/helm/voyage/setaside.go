package voyage

import (
	"time"
)

// setAsideLocked parks stale work in the ship's tree. The caller holds v.mu.
func (s *Ship) setAsideLocked(now time.Time) {
	if s.settingAside || now.Before(s.asideAfter) || !s.activity().Done(now) || s.v.Requests.Stale(s.Ship) == nil {
		return
	}
	s.settingAside = true
	s.v.Go(func() {
		err := s.v.Requests.SetAside(s.Ship)
		changes(s.v, func() {
			s.settingAside = false
			if err != nil {
				s.asideAfter = time.Now().Add(rouseAgain)
				s.v.Log.Warn("set aside", "ship", s.Name, "error", err)
			}
		})
	})
}
