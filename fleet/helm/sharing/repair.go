package sharing

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/reconcile"
	"ocaptain/tasks/redislog"
)

// Repair restores what Redis has lost of the session, or returns what it would restore.
func (s *Sharing) Repair(ctx context.Context, r api.RepairRequest) (api.Repaired, error) {
	switch {
	case s.Info.Shared == nil:
		return api.Repaired{}, api.Refused("%s keeps its tasks on this hub alone, and not in Redis", s.Info.Name)
	case s.Redis == nil:
		return api.Repaired{}, api.Refused("the secret of session %s is gone: put %s back", s.Info.SessionID(), s.Dir.Admission())
	case r.Beads && s.Info.Beads.Prefix == "":
		return api.Repaired{}, api.Refused("%s writes no issues of Beads: repair from git alone", s.Info.Name)
	}
	if err := s.Work.Refresh(ctx); err != nil {
		return api.Repaired{}, s.Hinders.OrAway("", err)
	}
	history, err := s.Claims.History()
	if err != nil {
		return api.Repaired{}, err
	}
	there := map[string]bool{}
	for _, c := range history {
		there[c.ID] = true
	}
	session := s.Info.SessionID()
	evidence := reconcile.Evidence{
		Landed: kind.Landed(session, history), Reverted: kind.Reverted(session, history), Has: func(commit string) bool { return there[commit] },
	}
	var more, others []*tasks.State
	if r.Beads {
		if more, err = s.Issues(); err != nil {
			return api.Repaired{}, api.Refused("the issues of Beads: %v", err)
		}
	}
	m, err := s.As(rights.Captain).Repair(ctx, func(log, had []*tasks.State) (m reconcile.Mend, err error) {
		m, others = reconcile.Log(log, withMore(log, had, more), evidence)
		return m, nil
	}, r.CarryOut)
	switch {
	case errors.Is(err, dirstore.ErrHealthy):
		return api.Repaired{Healthy: true}, nil
	case errors.Is(err, redislog.ErrForged):
		return api.Repaired{}, api.Refused("%s. If somebody else wrote it there, remove %s from Redis: this hub then puts back what it has", err, redislog.Key(session))
	case err != nil:
		return api.Repaired{}, err
	}
	ids := m.IDs()
	done := api.Repaired{Added: ids.Added, Done: ids.Done, Held: ids.Held, Pending: ids.Pending}
	for _, t := range others {
		done.Others = append(done.Others, clean.Bound(t.Subject, clean.MaxText))
	}
	if r.CarryOut {
		s.Notes.Tell(fmt.Sprintf("what Redis had lost of the session was put back: %d tasks, and the states of %d", len(m.Add), len(m.States)))
	}
	return done, nil
}

// withMore returns the tasks that this hub had, and those of more that neither it nor the log has.
func withMore(log, had, more []*tasks.State) []*tasks.State {
	known := map[string]bool{}
	for _, all := range [][]*tasks.State{log, had} {
		for _, s := range all {
			known[s.ID] = true
		}
	}
	for _, s := range more {
		if !known[s.ID] {
			had = append(had, s)
		}
	}
	return had
}
