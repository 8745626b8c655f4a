package review

import (
	"context"
	"errors"
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

// again is how long a loop waits before it retries after an error.
const again = 5 * time.Second

// Run checks and merges handed-in work, until helm ends. The store has the state of each piece, so the next helm
// continues after a crash.
func (r *Review) Run() {
	if r.Info.Validators == 0 {
		return // this hub has no part in reviews
	}
	r.Go(func() { r.attend(r.landNext) })
	for range r.Info.Validators {
		r.Go(func() { r.attend(r.checkNext) })
	}
}

// attend calls next until it has nothing to do, then waits for a change, or for the time that next returns; 0 means
// to wait only for a change.
func (r *Review) attend(next func() (did bool, wait time.Duration, err error)) {
	patience := retry.NewPatience(time.Second, time.Minute)
	for r.Context.Err() == nil {
		news := r.News.Next()
		did, wait, err := next()
		var no *tasks.Refusal // a refusal means that the task has just changed
		switch {
		case err == nil || errors.As(err, &no) || blame.IsAway(err): // the captain has been told already
			patience.Reset()
		case r.Context.Err() == nil:
			r.Notes.Add(fleet.Note{Text: "the review queue waits: " + clean.Bound(err.Error(), clean.MaxText)})
			wait = patience.Wait(time.Now())
		}
		if did && err == nil {
			continue
		}
		r.sleepUntil(news, wait)
	}
}

// sleepUntil waits for news, at most for while; 0 means no bound.
func (r *Review) sleepUntil(news <-chan struct{}, while time.Duration) {
	var over <-chan time.Time
	if while > 0 {
		timer := time.NewTimer(while)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-news:
	case <-over:
	case <-r.Context.Done():
	}
}

// queue lists the tasks in review that are not on hold, oldest first. It returns an error while the hub cannot check
// or merge.
func (r *Review) queue() (queue []*tasks.State, err error) {
	for _, t := range inReview(r.Store.Snapshot()) {
		if !t.OnHold && r.Hubs.MayReview(t) {
			queue = append(queue, t)
		}
	}
	if open := r.Kind.Closed(r.Roster.Now().Phase) == nil; len(queue) == 0 || !open {
		return nil, nil
	}
	return queue, errors.Join(r.Hinders.Check(), r.Hinders.CheckRepository())
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

// checkNext has a free validator check the next piece of handed-in work.
func (r *Review) checkNext() (did bool, wait time.Duration, err error) {
	queue, err := r.queue()
	if err != nil {
		return false, again, err
	}
	t, s, wait := r.nextCheck(queue)
	if s == nil {
		return false, wait, nil
	}
	defer r.endCheck(s)
	return true, again, r.Failed(t, r.check(s, t))
}

// nextCheck chooses the work to check next and its validator, and marks the validator as checking, until endCheck.
func (r *Review) nextCheck(queue []*tasks.State) (*tasks.State, *ship.Ship, time.Duration) {
	now, all := time.Now(), r.Store.Snapshot()
	can := r.validators(now)
	r.mu.Lock()
	defer r.mu.Unlock()
	free, _ := r.split(can, all)
	var names []string
	for _, s := range free {
		names = append(names, s.Name)
	}
	t, wait := choose(queue, all, r.checking, names, r.batches)
	if t == nil {
		return nil, nil, wait
	}
	s := free[0]
	if !r.batches[s.Name].has(t) {
		r.batches[s.Name] = batch{t.HandIn.Owner, t.Group(), now}
	}
	r.checking[s.Name] = t.ID
	return t, s, 0
}

// choose returns the work that the first free validator checks next. If it returns nil, the time says when to try
// again, 0 after a change. checking has the task that each validator checks now, and batches the batch that each has
// begun.
//
// Each validator has at most one task in check or review: a merge meanwhile makes a check void. It takes the next task of the batch that it has
// begun, else the oldest, so that it sees similar work one after the other. Approved work is checked as it is merged.
func choose(queue []*tasks.State, all tasks.Snapshot, checking map[string]string, free []string, batches map[string]batch) (*tasks.State, time.Duration) {
	busy := map[string]bool{}
	for _, task := range checking {
		busy[task] = true
	}
	under := 0
	var next []*tasks.State
	for _, t := range queue {
		switch {
		case t.Approved():
		case busy[t.ID] || t.HandIn.Checked != "":
			under++
		case len(all.Blockers(t)) == 0:
			next = append(next, t)
		}
	}
	switch {
	case len(next) == 0 || under >= max(1, len(free)+len(checking)):
		return nil, 0
	case len(free) == 0:
		return nil, again
	}
	return next[max(0, slices.IndexFunc(next, batches[free[0]].has))], 0
}

// batch is the work of one worker on one group of tasks that was handed in before a certain time.
type batch struct {
	owner, group string
	before       time.Time
}

// has reports whether a piece of work belongs to the batch. Work without a group belongs to none.
func (b batch) has(t *tasks.State) bool {
	return b.group != "" && t.HandIn.Owner == b.owner && t.Group() == b.group && t.HandIn.At.Before(b.before)
}

func (r *Review) endCheck(s *ship.Ship) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.checking, s.Name)
}

// split divides the validators into free, which can begin a check, those without a task first, and checking, which
// run a check now. The caller holds r.mu.
func (r *Review) split(can []*ship.Ship, all tasks.Snapshot) (free, checking []*ship.Ship) {
	var busy []*ship.Ship
	for _, s := range can {
		switch _, checks := r.checking[s.Name]; {
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

// check runs verify.sh on the work and the branch together, before a validator reviews the work.
func (r *Review) check(s *ship.Ship, t *tasks.State) error {
	if err := s.Lock(r.Context); err != nil {
		return err
	}
	defer s.Busy.Unlock()
	ctx, cancel := context.WithTimeout(s.Context, ship.VerifyTime+2*ship.TreeTime)
	defer cancel()
	if err := r.Hubs.Take(t); err != nil {
		return err
	}
	commit, err := r.together(ctx, t)
	if err != nil {
		return err
	}
	passed, err := r.passes(ctx, s, commit, commit)
	if err != nil {
		return err
	}
	return r.As(rights.Clock).Checked(ctx, t.ID, t.HandIn.Commit, commit, passed)
}

// passes reports whether verify.sh passes on a commit. first is the lowest commit of the work on top of the branch:
// commit itself or an ancestor. If verify.sh fails with the work and passes without it, the error is a
// *blame.NotPassed. The caller holds the ship's tree.
func (r *Review) passes(ctx context.Context, s *ship.Ship, commit, first string) (bool, error) {
	script, err := r.Verifier.Script()
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
	branch, err := r.Work.Parent(ctx, first)
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
