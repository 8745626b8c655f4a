package voyage

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/offers"
	"ocaptain/fleet/proto"
)

// wait answers what the ship's agent should do next, when there is something.
func (s *Ship) wait(ctx context.Context, r proto.WaitRequest) (proto.Verdict, error) {
	if r.Ended {
		if verdict, err := s.finish(ctx, r.Said); verdict.Act != "" || err != nil {
			return verdict, err
		}
	}
	if len(r.Queued) > 0 {
		return proto.Verdict{Act: proto.ActListen, Why: "it begins with what it was told meanwhile"}, nil
	}
	v := s.v
	changes(v, func() { s.waits++ })
	defer changes(v, func() { s.waits-- })
	v.Dispatcher.Soon()
	for ctx.Err() == nil {
		news := v.News.Next()
		var verdict proto.Verdict
		var again time.Duration
		changes(v, func() {
			now := time.Now()
			if verdict, again = s.verdict(now); verdict.Act == proto.ActClaim || verdict.Act == proto.ActContinue {
				s.prompts.Woken = now // until the ship reports, the rouser would take it for idle
			}
		})
		if verdict.Act != "" {
			return verdict, nil
		}
		timer := time.NewTimer(again)
		select {
		case <-news:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return proto.Verdict{}, ctx.Err()
}

// verdict returns what the agent is to do now, or without an act when to look again if nothing changes before. The caller holds v.mu.
func (s *Ship) verdict(now time.Time) (proto.Verdict, time.Duration) {
	const seldom = time.Minute
	v := s.v
	if s.mail > 0 {
		return proto.Verdict{Act: proto.ActListen, Why: "a message from the captain is on its way"}, 0
	}
	if why := v.Kind.Over(v.Roster.Now().Phase); why != "" {
		return proto.Verdict{Act: proto.ActRest, Why: why}, 0
	}
	if v.Hinders.IsFull() || v.Hinders.CheckRedis() != nil {
		return proto.Verdict{}, seldom // woken when that is over
	}
	if s.Paused(now) != "" {
		return proto.Verdict{}, seldom // woken when the captain ends it
	}
	if t := v.Look().Held(s.Name); t != nil {
		if s.v.Kind.Gives() && !s.gifts.KnowsOf(t) {
			return proto.Verdict{}, seldom // the message is on its way
		}
		again, left := s.prompts.SendBack(t.ID)
		if again {
			return proto.Verdict{Act: proto.ActContinue, Held: t.ID}, 0
		}
		if left {
			v.Paint.Send()
			v.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: fmt.Sprintf(
				"ended its turn %d times with the task undone and is left alone: tell it what to do, or %s", facts.MaxPrompts+1, v.Dir.Command("requeue %s", t.ID))})
		}
		return proto.Verdict{}, seldom
	}
	if err := s.Barred(now); err != nil {
		return proto.Verdict{Act: proto.ActRest, Why: err.Error()}, 0
	}
	if v.Kind.Closed(v.Roster.Now().Phase) != nil {
		return proto.Verdict{}, seldom
	}
	if wait := s.State().Trouble.Rest(now); wait > 0 {
		return proto.Verdict{}, min(seldom, wait)
	}
	if v.limits.HoldsBack(now, &s.limit) {
		return proto.Verdict{}, seldom // woken when it is over
	}
	view := v.Look()
	free := v.Offers.Free(view.Ready(s.Claimant(), now), s.Name, now)
	if len(free) > 0 {
		if wait := s.tell(now); wait > 0 {
			return proto.Verdict{}, min(seldom, wait)
		}
		v.Offers.Make(free[0], s.Name, now)
		v.limits.Begins(now, &s.limit)
		return v.Kind.Offer(free), 0
	}
	next := view.Again(s.Claimant(), now)
	if view.First(s.Claimant(), now) != "" { // other ships were offered this task
		next = min(next, offers.Time/4)
	}
	return proto.Verdict{}, min(seldom, next)
}

// tell records that helm names ready tasks to the agent, and returns how long helm names no more. The caller holds v.mu.
func (s *Ship) tell(now time.Time) time.Duration {
	wait, ignored := s.prompts.Tell(now)
	if ignored {
		s.v.Offers.Withdraw(s.Name)
		s.v.Notes.Add(fleet.Note{Ship: s.Name, Text: fmt.Sprintf("was told of ready tasks %d times and has claimed none: it is told less and less often", facts.MaxPrompts)})
		s.v.Paint.Send()
	}
	return wait
}

// forgive forgets how often the agent ignored a ready task: it tries again, or the captain has sent it a message. The caller holds v.mu.
func (s *Ship) forgive() {
	s.prompts.Forgive()
	s.limit.Stumbles = 0
}
