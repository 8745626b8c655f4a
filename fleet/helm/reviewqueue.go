package helm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/retry"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// reviewer brings what was handed in to the branch: it is checked, a validator reviews it, and it is merged. What is written
// down of it is in the store, so that it goes on after a crash.
func (v *voyage) reviewer() {
	if v.info.Validators == 0 {
		return
	}
	pauses := retry.Doubling(time.Second, time.Minute)
	for v.ctx.Err() == nil {
		v.mu.Lock()
		changed := v.changed
		v.mu.Unlock()
		did, again, err := v.reviewNext()
		var no *tasks.Refusal // something has just changed
		switch {
		case err == nil || errors.As(err, &no) || isAway(err): // which is told already
			pauses.Reset()
		case v.ctx.Err() == nil:
			v.addNote(fleet.Note{Text: "the review queue waits: " + cleanText(err.Error(), maxText)})
			again = pauses.NextBackOff()
		}
		if did && err == nil {
			continue
		}
		v.sleepUntil(changed, again)
	}
}

// sleepUntil waits until something changes, or for a while, 0 for however long that takes.
func (v *voyage) sleepUntil(changed <-chan struct{}, while time.Duration) {
	var over <-chan time.Time
	if while > 0 {
		timer := time.NewTimer(while)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-changed:
	case <-over:
	case <-v.ctx.Done():
	}
}

// reviewNext does the next thing for what was handed in, and reports whether there was one. Else it says when to look
// again, 0 for when something has changed.
func (v *voyage) reviewNext() (did bool, again time.Duration, err error) {
	all := v.store.Snapshot()
	queue := inReview(all)
	v.mu.Lock()
	open := v.kind.Closed(v.fleet.Phase) == nil
	v.mu.Unlock()
	if len(queue) == 0 || !open {
		return false, 0, nil
	}
	if err := errors.Join(v.checkDisk(), v.checkRepository()); err != nil {
		return false, restGrace, err
	}
	reviewed := 0
	for _, t := range queue {
		switch {
		case t.Approved() && !t.OnHold:
			return true, restGrace, v.orHold(t, v.land(t))
		case t.HandIn.Checked != "" && !t.OnHold:
			reviewed++
		}
	}
	free := v.validators()
	for _, t := range queue {
		if reviewed >= max(1, len(free)) { // one each: what is merged meanwhile makes a check void
			return false, 0, nil
		}
		if t.HandIn.Checked != "" || t.OnHold || len(all.Blockers(t)) > 0 {
			continue
		}
		if len(free) == 0 {
			return false, restGrace, nil
		}
		return true, restGrace, v.orHold(t, v.check(free[0], t))
	}
	return false, 0, nil
}

// inReview lists the tasks whose work is in review, the oldest first.
func inReview(all tasks.Snapshot) []*tasks.State {
	var queue []*tasks.State
	for _, t := range all.Tasks {
		if t.InReview() {
			queue = append(queue, t)
		}
	}
	slices.SortStableFunc(queue, func(a, b *tasks.State) int { return a.HandIn.At.Compare(b.HandIn.At) })
	return queue
}

// validators lists the ships that can check and review, those that hold nothing first.
func (v *voyage) validators() []*ship {
	snap := v.store.Snapshot()
	v.mu.Lock()
	defer v.mu.Unlock()
	var free, busy []*ship
	for _, f := range v.fleet.Ships {
		s := v.ships[f.Name]
		switch {
		case s == nil || s.role != fleet.Validator || !s.known.Connected || s.recess(time.Now()) > 0:
		case heldTask(snap, s.name) != nil:
			busy = append(busy, s)
		default:
			free = append(free, s)
		}
	}
	return append(free, busy...)
}

// check runs verify.sh on what was handed in and the branch together, before anybody is asked to review it. What fails goes
// back.
func (v *voyage) check(s *ship, t *tasks.State) error {
	if err := s.lockTree(v.ctx); err != nil {
		return err
	}
	defer s.tree.Unlock()
	ctx, cancel := context.WithTimeout(s.ctx, verifyTime+2*treeTime)
	defer cancel()
	commit, err := v.together(ctx, t)
	if clash := (*sync.Conflict)(nil); errors.As(err, &clash) {
		return v.sendBack(t, conflictText(clash), false)
	}
	if err != nil {
		return err
	}
	passed, err := s.passes(ctx, commit)
	if err != nil {
		return v.orBack(t, err)
	}
	return v.orRoom(v.store.Checked(ctx, t.ID, t.HandIn.Commit, commit, passed))
}

// orHold returns err, or that all merges are held back when something at the hub is why. Work that fails again and again, for what is
// neither its own nor the hub's, is put on hold: it must not keep other work from the branch.
func (v *voyage) orHold(t *tasks.State, err error) error {
	var no *tasks.Refusal
	var ship *shipTrouble
	if err == nil || v.ctx.Err() != nil || errors.As(err, &no) || errors.As(err, &ship) {
		return err
	}
	var hub *sync.Hindered
	if errors.As(err, &hub) && len(hub.Paths) == 0 {
		return v.holdMerges(cleanText(hub.Error(), maxText))
	}
	if isAway(err) {
		return err
	}
	v.mu.Lock()
	v.failures[t.ID]++
	n := v.failures[t.ID]
	v.mu.Unlock()
	if n < mostRejections {
		return err
	}
	if now := v.store.Snapshot().Task(t.ID); !now.InReview() || now.HandIn.Commit != t.HandIn.Commit {
		return err // somebody has taken it out of review
	}
	why := "its work was handed in and cannot be merged: " + cleanText(err.Error(), maxText)
	v.addNote(fleet.Note{Task: t.ID, Text: why + "; to have it done again: " + v.command("requeue %s", t.ID)})
	return v.orRoom(v.store.Requeue(context.WithoutCancel(v.ctx), tasks.Requeue{Task: t.ID, Reason: why, Hold: true}))
}

// shipTrouble is the error of a check that a ship could not run.
type shipTrouble struct{ error }

func (s *shipTrouble) Unwrap() error { return s.error }

// notPassed is the error of work on which verify.sh fails.
type notPassed struct{ output string }

// Error says it in one line, and then shows all.
func (n *notPassed) Error() string {
	out := strings.TrimSpace(n.output)
	if out == "" {
		return "verify.sh fails on it, and prints nothing"
	}
	return "verify.sh fails on it, and ends with: " + out[strings.LastIndexByte(out, '\n')+1:] + "\n" + out
}

// passes reports whether verify.sh passes on a commit that adds work to the branch. It fails with notPassed when it does not,
// and the work is to blame: verify.sh passes on the branch without it. The caller holds the ship's tree.
func (s *ship) passes(ctx context.Context, commit string) (bool, error) {
	script, err := os.ReadFile(s.v.dir.VerifyFile())
	if err != nil {
		return false, fmt.Errorf("verify.sh: %w", err)
	}
	with, err := s.runVerify(ctx, commit, script)
	switch {
	case err != nil:
		return false, &shipTrouble{err}
	case with.Passed:
		return true, nil
	}
	branch, err := s.v.work.Parent(ctx, commit)
	if err != nil {
		return false, err
	}
	without, err := s.runVerify(ctx, branch, script)
	switch {
	case err != nil:
		return false, &shipTrouble{err}
	case without.Passed:
		return false, &notPassed{lastBytes(with.Output, 4000)}
	}
	return false, nil
}

// orBack sends work back for an error that is its own, and returns any other.
func (v *voyage) orBack(t *tasks.State, err error) error {
	var clash *sync.Conflict
	var refused *sync.Refused
	var failed *notPassed
	switch {
	case errors.As(err, &clash):
		return v.sendBack(t, conflictText(clash), false)
	case errors.As(err, &failed):
		return v.sendBack(t, failed.Error(), true)
	case errors.As(err, &refused):
		return v.sendBack(t, refused.Error(), true)
	}
	return err
}

// land merges work that was approved. When the branch has moved on since it was checked, it is checked again. Nobody takes the
// task away meanwhile.
func (v *voyage) land(t *tasks.State) error {
	if err := v.merges.Lock(v.ctx); err != nil {
		return err
	}
	defer v.merges.Unlock()
	if now := v.store.Snapshot().Task(t.ID); !now.Approved() || now.HandIn.Commit != t.HandIn.Commit {
		return nil // somebody just has
	}
	if done, err := v.merged(v.ctx, t); done || err != nil {
		return err
	}
	order := v.landing(t)
	order.Trailers = append(order.Trailers, [2]string{kind.TrailerReview, t.HandIn.Review.By})
	order.Add = discoveries(t)
	order.Check = func(ctx context.Context, commit string) error {
		if v.isChecked(ctx, t, commit) {
			return nil
		}
		free := v.validators()
		if len(free) == 0 {
			return &shipTrouble{api.Refused("it is to be checked again, as the branch has moved on, and no validator can be reached")}
		}
		s := free[0]
		if err := s.lockTree(ctx); err != nil {
			return err
		}
		defer s.tree.Unlock()
		_, err := s.passes(ctx, commit)
		return err
	}
	m, err := v.work.Land(v.ctx, t.HandIn.Commit, order)
	if no := (*sync.NotAdded)(nil); errors.As(err, &no) {
		v.addNote(fleet.Note{Ship: t.HandIn.Review.By, Task: t.ID, Text: "what it has found cannot be written into the repository: " + cleanText(err.Error(), maxText)})
		order.Add = nil
		m, err = v.work.Land(v.ctx, t.HandIn.Commit, order)
	}
	if err != nil {
		return v.orBack(t, v.orRoom(err))
	}
	w := workOf(t)
	if err := v.orRoom(v.store.Complete(context.WithoutCancel(v.ctx), tasks.Completion{Task: t.ID, Owner: w.Owner, Epoch: w.Epoch, Commit: m.Commit})); err != nil {
		return err
	}
	v.headMoved(m.Commit)
	v.flagged(w, m)
	_ = v.work.Forget(v.ctx, handInRef(t.ID), togetherRef(t.ID)) // which hold what is on the branch now
	return nil
}

// isChecked reports whether a commit adds to the branch what was checked, where it was checked.
func (v *voyage) isChecked(ctx context.Context, t *tasks.State, commit string) bool {
	on, err := v.work.Parent(ctx, commit)
	if err != nil {
		return false
	}
	was, err := v.work.Parent(ctx, t.HandIn.Checked)
	return err == nil && on == was
}
