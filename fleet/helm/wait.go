package helm

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/proto"
)

// maxNudges is how often an agent that ends its turn is sent back to the task it holds.
// After that it is left alone, as it may wait for a person.
const maxNudges = 3

// wait answers what the ship's agent should do next, when there is something.
func (s *ship) wait(ctx context.Context, r proto.WaitRequest) (proto.Verdict, error) {
	if r.Ended {
		if verdict, err := s.finish(ctx, r.Said); verdict.Act != "" || err != nil {
			return verdict, err
		}
	}
	if len(r.Queued) > 0 {
		return proto.Verdict{Act: proto.ActListen, Why: "it begins with what it was told meanwhile"}, nil
	}
	v := s.v
	v.mu.Lock()
	defer v.mu.Unlock()
	s.waits++
	defer func() { s.waits-- }()
	v.giveSoon()
	for ctx.Err() == nil {
		changed := v.changed
		verdict, again := s.verdict(time.Now())
		if verdict.Act != "" {
			return verdict, nil
		}
		v.mu.Unlock()
		timer := time.NewTimer(again)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		v.mu.Lock()
	}
	return proto.Verdict{}, ctx.Err()
}

// verdict decides for now; without an act it says when to look again, if nothing
// changes before. The caller holds v.mu.
func (s *ship) verdict(now time.Time) (proto.Verdict, time.Duration) {
	const seldom = time.Minute
	v := s.v
	if s.mail > 0 {
		return proto.Verdict{Act: proto.ActListen, Why: "a message from the captain is on its way"}, 0
	}
	if why := v.kind.Over(v.fleet.Phase); why != "" {
		return proto.Verdict{Act: proto.ActRest, Why: why}, 0
	}
	if !v.disk.IsNone() {
		return proto.Verdict{}, seldom // woken when there is room
	}
	if t := v.look().Held(s.name); t != nil {
		if v.kind.Gives() && !s.knowsOf(t) {
			return proto.Verdict{}, seldom // the message is on its way
		}
		if s.nudged != t.ID {
			s.nudged, s.nudges, s.known.LeftAlone = t.ID, 0, false
		}
		if s.nudges < maxNudges {
			s.nudges++
			return proto.Verdict{Act: proto.ActContinue, Held: t.ID}, 0
		}
		s.leaveAlone(t.ID)
		return proto.Verdict{}, seldom
	}
	if err := s.barred(now); err != nil {
		return proto.Verdict{Act: proto.ActRest, Why: err.Error()}, 0
	}
	if v.kind.Closed(v.fleet.Phase) != nil {
		return proto.Verdict{}, seldom
	}
	if wait := s.recess(now); wait > 0 {
		return proto.Verdict{}, min(seldom, wait)
	}
	if v.holds[s.login].holdsBack(now, s.name) {
		return proto.Verdict{}, seldom // woken when it is over
	}
	view := v.look()
	free := v.offers.notOffered(view.Ready(s.name, s.role, now), s.name, now)
	if wait := s.ignored(now, len(free) > 0); wait > 0 {
		return proto.Verdict{}, min(seldom, wait)
	}
	if len(free) > 0 {
		v.offers[free[0]] = offer{s.name, now.Add(offerTime)}
		v.holds[s.login].begins(now, s.name)
		return v.kind.Offer(free), 0
	}
	next := view.Again(s.name, s.role, now)
	if view.First(s.name, s.role, now) != "" { // others were told of it
		next = min(next, offerTime/4)
	}
	return proto.Verdict{}, min(seldom, next)
}

// ignored says how long an agent that was told of ready tasks again and again, and has
// not tried to claim any, is not told of the next. Others may have the tasks meanwhile.
// Offers says that there is something to tell it of now. The caller holds v.mu.
func (s *ship) ignored(now time.Time, offers bool) time.Duration {
	if !offers {
		return 0
	}
	if wait := s.offerAfter.Sub(now); wait > 0 {
		return wait
	}
	if s.offered++; s.offered <= maxNudges {
		return 0
	}
	if s.offered > maxNudges+1 { // a pause is over
		s.offerAfter = now.Add(pauseAfter(s.offered-maxNudges, 0.5))
		return 0
	}
	s.offerAfter = now.Add(pauseAfter(0, 0.5))
	s.known.Ignored = maxNudges
	s.v.offers.withdraw(s.name)
	s.v.addNote(fleet.Note{Ship: s.name, Text: fmt.Sprintf("was told of ready tasks %d times and has claimed none: it is told less and less often", maxNudges)})
	s.v.requestBoard()
	return s.offerAfter.Sub(now)
}

// forgive forgets how often the agent did not do what it was told: it tries, or the
// captain has spoken to it. The caller holds v.mu.
func (s *ship) forgive() {
	s.offered, s.offerAfter, s.nudges, s.stumbles = 0, time.Time{}, 0, 0
	s.known.Ignored, s.known.LeftAlone = 0, false
}

// leaveAlone tells the captain that an agent is not sent back to its task any more.
// The caller holds v.mu.
func (s *ship) leaveAlone(task string) {
	if s.known.LeftAlone {
		return
	}
	s.known.LeftAlone = true
	s.v.addNote(fleet.Note{Ship: s.name, Task: task, Text: fmt.Sprintf(
		"ended its turn %d times with the task undone and is left alone: tell it what to do, or %s", maxNudges+1, s.v.command("requeue %s", task))})
	s.v.requestBoard()
}

// look returns what there is to do. The caller holds v.mu.
func (v *voyage) look() *kind.View {
	if all := v.store.Snapshot(); v.view == nil || v.view.Seq != all.Seq {
		v.view = v.kind.Look(all)
	}
	return v.view
}
