package helm

import (
	"context"
	"slices"
	"time"

	"ocaptain/fleet/aboard"
	"ocaptain/tasks"
)

// offer says that a waiting ship was told of a ready task. For a while nobody else
// is woken for it, so that one ready task does not cost a turn of every idle agent.
// Anybody who asks may still claim it.
type offer struct {
	ship  string
	until time.Time
}

// offerTime is how long an offer keeps others asleep.
const offerTime = time.Minute

// maxNudges is how often an agent that ends its turn is sent back to the task it holds.
// After that it is left alone, as it may wait for a person.
const maxNudges = 3

// wait answers what the ship's agent should do next, when there is something.
func (s *ship) wait(ctx context.Context, _ aboard.WaitRequest) (aboard.Verdict, error) {
	v := s.v
	for {
		v.mu.Lock()
		changed := v.changed
		verdict, again := s.verdict(time.Now())
		v.mu.Unlock()
		if verdict.Act != "" {
			return verdict, nil
		}
		timer := time.NewTimer(again)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return aboard.Verdict{}, ctx.Err()
		}
		timer.Stop()
	}
}

// verdict decides for now; without an act it says when to look again, if nothing
// changes before. The caller holds v.mu.
func (s *ship) verdict(now time.Time) (aboard.Verdict, time.Duration) {
	const seldom = time.Minute
	v := s.v
	if s.mail {
		return aboard.Verdict{Act: aboard.ActListen, Why: "a message from the captain is on its way"}, 0
	}
	if v.fleet.Phase.Over() {
		return aboard.Verdict{Act: aboard.ActRest, Why: "the voyage is " + string(v.fleet.Phase)}, 0
	}
	snap := v.store.Snapshot()
	if t := held(snap, s.name); t != nil {
		if s.nudged != t.ID {
			s.nudged, s.nudges = t.ID, 0
		}
		if s.nudges < maxNudges {
			s.nudges++
			return aboard.Verdict{Act: aboard.ActContinue, Held: t.ID}, 0
		}
		return aboard.Verdict{}, seldom
	}
	if v.phaseClaims() {
		ready, next := v.ready(snap, s.name, now)
		var free []string
		for _, id := range ready {
			if o, ok := v.offers[id]; !ok || o.ship == s.name || now.After(o.until) {
				free = append(free, id)
			}
		}
		if len(free) > 0 {
			v.offers[free[0]] = offer{s.name, now.Add(offerTime)}
			return aboard.Verdict{Act: aboard.ActClaim, Ready: free[:min(len(free), 10)]}, 0
		}
		if len(ready) > 0 {
			next = min(next, offerTime/4)
		}
		return aboard.Verdict{}, min(seldom, next)
	}
	return aboard.Verdict{}, seldom
}

// ready lists the tasks that the ship may claim now, the most urgent first, and says
// how long the shortest delay still lasts.
func (v *voyage) ready(snap tasks.Snapshot, ship string, now time.Time) ([]string, time.Duration) {
	next := time.Hour
	var list []*tasks.State
	for _, t := range snap.Tasks {
		if t.Status != tasks.Pending || t.Internal() || t.ReservedFor != "" && t.ReservedFor != ship || len(snap.Blockers(t)) > 0 {
			continue
		}
		if wait := t.NotBefore.Sub(now); wait > 0 {
			next = min(next, wait)
			continue
		}
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b *tasks.State) int { return a.Priority() - b.Priority() })
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = t.ID
	}
	return ids, next
}
