package voyage

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// reviewers bring what was handed in to the branch: it is checked, a validator reviews it, and it is merged. What is written
// down of it is in the store, so that it goes on after a crash.
func (v *Voyage) reviewers() {
	if v.Info.Validators == 0 {
		return // ships of another hub review what is handed in, if it is
	}
	v.Go(func() { v.attend(v.landNext) })
	for range v.Info.Validators {
		v.Go(func() { v.attend(v.checkNext) })
	}
}

// attend does what is next, whenever there is something. next reports whether there was, and else when to look again, 0 for when
// something has changed.
func (v *Voyage) attend(next func() (did bool, again time.Duration, err error)) {
	patience := retry.NewPatience(time.Second, time.Minute)
	for v.Context.Err() == nil {
		news := v.News.Next()
		did, again, err := next()
		var no *tasks.Refusal // something has just changed
		switch {
		case err == nil || errors.As(err, &no) || blame.IsAway(err): // which is told already
			patience.Reset()
		case v.Context.Err() == nil:
			v.Notes.Add(fleet.Note{Text: "the review queue waits: " + clean.Bound(err.Error(), maxText)})
			again = patience.Wait(time.Now())
		}
		if did && err == nil {
			continue
		}
		v.sleepUntil(news, again)
	}
}

// sleepUntil waits until something changes, or for a while, 0 for however long that takes.
func (v *Voyage) sleepUntil(news <-chan struct{}, while time.Duration) {
	var over <-chan time.Time
	if while > 0 {
		timer := time.NewTimer(while)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-news:
	case <-over:
	case <-v.Context.Done():
	}
}

// reviewQueue lists what is in review and not on hold, the oldest first. It fails while nothing may be done about it.
func (v *Voyage) reviewQueue() (queue []*tasks.State, err error) {
	for _, t := range inReview(v.Store.Snapshot()) {
		if !t.OnHold && v.mayReview(t) {
			queue = append(queue, t)
		}
	}
	open := v.Kind.Closed(v.Roster.Now().Phase) == nil
	if len(queue) == 0 || !open {
		return nil, nil
	}
	return queue, errors.Join(v.Hinders.Check(), v.Hinders.CheckRepository())
}

// checkNext has the oldest that was handed in and not looked at checked, by a validator that is free for it.
func (v *Voyage) checkNext() (did bool, again time.Duration, err error) {
	queue, err := v.reviewQueue()
	if err != nil {
		return false, restGrace, err
	}
	t, s, again := v.nextCheck(queue)
	if s == nil {
		return false, again, nil
	}
	defer v.endCheck(s)
	return true, restGrace, v.reviewFailed(t, v.check(s, t))
}

// batch is work of one worker on one group that was handed in before one moment.
type batch struct {
	owner, group string
	before       time.Time
}

// has reports whether a piece of work is one of the batch. Work without a group is like no other.
func (b batch) has(t *tasks.State) bool {
	return b.group != "" && t.HandIn.Owner == b.owner && t.Group() == b.group && t.HandIn.At.Before(b.before)
}

// nextCheck chooses what is checked next, and where, until endCheck. Each validator has at most one task in check or review: a
// merge meanwhile makes a check void. It takes the next task of the batch that the validator has begun, else the oldest, so that
// a validator sees similar work one after the other. Approved work is checked as it is merged.
func (v *Voyage) nextCheck(queue []*tasks.State) (t *tasks.State, s *Ship, again time.Duration) {
	changes(v, func() { t, s, again = v.nextCheckLocked(queue) })
	return t, s, again
}

func (v *Voyage) nextCheckLocked(queue []*tasks.State) (t *tasks.State, s *Ship, again time.Duration) {
	all := v.Store.Snapshot()
	busy := slices.Collect(maps.Values(v.checking))
	under := 0
	var next []*tasks.State
	for _, t := range queue {
		switch {
		case t.Approved():
		case slices.Contains(busy, t.ID) || t.HandIn.Checked != "":
			under++
		case len(all.Blockers(t)) == 0:
			next = append(next, t)
		}
	}
	free, _ := v.checkersLocked(all)
	switch {
	case len(next) == 0 || under >= max(1, len(free)+len(busy)):
		return nil, nil, 0
	case len(free) == 0:
		return nil, nil, restGrace
	}
	s = free[0]
	t = next[max(0, slices.IndexFunc(next, s.batch.has))]
	if !s.batch.has(t) {
		s.batch = batch{t.HandIn.Owner, t.Group(), time.Now()}
	}
	v.checking[s] = t.ID
	return t, s, 0
}

func (v *Voyage) endCheck(s *Ship) {
	changes(v, func() { delete(v.checking, s) })
}

// inReview lists the tasks whose work is in review, the oldest first.
func inReview(all tasks.Snapshot) []*tasks.State {
	var queue []*tasks.State
	for _, t := range all.Open() {
		if t.InReview() {
			queue = append(queue, t)
		}
	}
	slices.SortStableFunc(queue, func(a, b *tasks.State) int { return a.HandIn.At.Compare(b.HandIn.At) })
	return queue
}

// checkersLocked lists the validators that can check something: free have no task, checking already check. The caller holds v.mu.
func (v *Voyage) checkersLocked(all tasks.Snapshot) (free, checking []*Ship) {
	var busy []*Ship
	for _, f := range v.Roster.Now().Ships {
		s := v.ships[f.Name]
		switch _, checks := v.checking[s]; {
		case s == nil || s.Role != fleet.Validator || !s.Reach.IsConnected() || s.State().Trouble.Rest(time.Now()) > 0:
		case checks:
			checking = append(checking, s)
		case all.Held(s.Name) != nil:
			busy = append(busy, s)
		default:
			free = append(free, s)
		}
	}
	return append(free, busy...), checking
}

// check runs verify.sh on what was handed in and the branch together, before anybody is asked to review it.
func (v *Voyage) check(s *Ship, t *tasks.State) error {
	if err := s.Lock(v.Context); err != nil {
		return err
	}
	defer s.Busy.Unlock()
	ctx, cancel := context.WithTimeout(s.Context, ship.VerifyTime+2*ship.TreeTime)
	defer cancel()
	if err := v.takeReview(t); err != nil {
		return err
	}
	commit, err := v.together(ctx, t)
	if err != nil {
		return err
	}
	passed, err := s.passes(ctx, commit, commit)
	if err != nil {
		return err
	}
	return v.As(rights.Clock).Checked(ctx, t.ID, t.HandIn.Commit, commit, passed)
}

// passes reports whether verify.sh passes on a commit, which is on top of first or is it, the lowest that adds work to the branch. It fails
// with blame.NotPassed when it does not, and the work is to blame: verify.sh passes without it. The caller holds the ship's tree.
func (s *Ship) passes(ctx context.Context, commit, first string) (bool, error) {
	script, err := s.v.verifyScript()
	if err != nil {
		return false, err
	}
	with, err := s.RunVerify(ctx, commit, script)
	switch {
	case err != nil:
		return false, &blame.ShipTrouble{Err: err}
	case with.Passed:
		return true, nil
	}
	branch, err := s.v.Work.Parent(ctx, first)
	if err != nil {
		return false, err
	}
	without, err := s.RunVerify(ctx, branch, script)
	switch {
	case err != nil:
		return false, &blame.ShipTrouble{Err: err}
	case without.Passed:
		return false, &blame.NotPassed{Output: clean.Tail(with.Output, 4000)}
	}
	return false, nil
}
