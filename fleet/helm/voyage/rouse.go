package voyage

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provision"
)

// rouseAgain is how long helm waits before it wakes an agent again.
const rouseAgain = time.Minute

// rouser gives work to agents that have stopped waiting for it: agents that rested before a task
// was added, and agents whose wait was cut off.
func (v *Voyage) rouser() {
	look := time.NewTicker(facts.RestGrace)
	defer look.Stop()
	for news := v.News.Next(); ; {
		select {
		case <-news:
		case <-v.poke:
		case <-look.C:
		case <-v.Context.Done():
			return
		}
		news = v.News.Next()
		v.Pauses.Look(time.Now())
		changes(v, func() {
			now := time.Now()
			for _, s := range v.ships {
				s.rouseLocked(now)
				s.setAsideLocked(now)
			}
			v.resumeLocked(now)
		})
	}
}

// rouseLocked wakes the ship's agent if it rests although there is work for it.
func (s *Ship) rouseLocked(now time.Time) {
	if s.Reach.Conn() == nil || s.mail > 0 || now.Sub(s.prompts.Woken) < rouseAgain || s.v.Kind.Closed(s.v.Roster.Now().Phase) != nil || s.Paused(now) != "" {
		return
	}
	finished := s.activity().Finished()
	if !finished && !s.activity().Rests(now) {
		return
	}
	verdict, _ := s.verdict(now)
	if verdict.Act != proto.ActClaim && verdict.Act != proto.ActContinue {
		return
	}
	if finished {
		if !s.launching {
			s.prompts.Woken = now
			s.startLocked(provision.Relaunch)
		}
		return
	}
	s.prompts.Woken = now
	s.v.Go(func() {
		if _, err := s.sendMessage(s.Context, s.told().Next(verdict)); err != nil && s.Context.Err() == nil {
			s.v.Log.Warn("agent could not be woken", "ship", s.Name, "error", err)
		}
	})
}

// told describes the ship's agent to the table of words.
func (s *Ship) told() told.Agent {
	return told.Agent{Role: s.Role, Tools: s.Agent.Hooks, Given: s.v.Kind.Gives()}
}

// launchLocked starts the runner, after the machine was restarted or somebody ended it. It starts a
// runner that keeps dying less and less often.
func (s *Ship) launchLocked() {
	if s.launching {
		return
	}
	may, lost := s.starts.Begin(time.Now())
	if !may {
		return
	}
	if lost {
		s.v.Go(func() {
			s.v.claims.SettleLost(s.Ship, rights.Journal, fmt.Sprintf("the runner of %s ended %d times in a row", s.Name, facts.MaxStarts))
		})
	}
	s.startLocked(provision.Launch)
}

// startLocked has the ship start its runner.
func (s *Ship) startLocked(start func(ctx context.Context, l *link.Link, home, pool string) error) {
	s.launching = true
	s.v.Go(func() {
		ctx, cancel := context.WithTimeout(s.Context, time.Minute)
		defer cancel()
		err := start(ctx, s.Reach.Link(), s.Record().Home, s.v.Info.PoolName())
		if err != nil && s.Context.Err() == nil {
			s.v.Notes.Add(fleet.Note{Ship: s.Name, Text: "its agent could not be started again: " + err.Error()})
		}
		changes(s.v, func() { s.launching = false })
	})
}
