package voyage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/dispatcher"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/turn"
	"ocaptain/tasks"
)

// settle records completions that were merged but not journaled before a crash.
func (v *Voyage) settle() error {
	for _, t := range v.Store.Snapshot().Tasks {
		if !v.isOwn(t) {
			continue
		}
		if _, err := v.merged(v.Context, t); err != nil {
			return err
		}
		if t.Status == tasks.InProgress && t.Owner == fleet.Captain { // helm was killed before it had recorded and answered his approval
			back := tasks.Requeue{Task: t.ID, Owner: fleet.Captain, Epoch: t.Epoch, Reason: "helm ended while you decided about the work: decide again"}
			if err := v.As(rights.Clock).Requeue(v.Context, back); err != nil {
				return err
			}
		}
	}
	return nil
}

// merged completes a claim whose work is on the branch already, which is the proof of
// it: a crash or a full disk may have kept the completion from being recorded.
func (v *Voyage) merged(ctx context.Context, t *tasks.State) (bool, error) {
	work := t
	switch {
	case t.Approved():
		work = workOf(t)
	case t.Status != tasks.InProgress || t.InReview():
		return false, nil
	}
	commit, err := v.findMerge(ctx, work)
	if err != nil || commit == "" {
		return false, err
	}
	return true, v.As(rights.Clock).Record(ctx, tasks.Completion{Task: t.ID, Owner: work.Owner, Epoch: work.Epoch, Commit: commit})
}

// findMerge returns the commit that the work of a claim became, "" for none.
func (v *Voyage) findMerge(ctx context.Context, t *tasks.State) (string, error) {
	claim := tasks.ClaimID(t.ID, t.Epoch)
	if onto := v.Kind.Merge(t, t.Owner, "").Onto; onto != "" {
		return v.Work.FindOnto(ctx, onto, kind.TrailerClaim, claim)
	}
	return v.Work.Find(ctx, kind.TrailerClaim, claim)
}

// takeBack ends the claim that t shows, unless its work is merged. The caller holds the
// tree of the ship that has the claim, so that no merge of it is under way.
func (v *Voyage) takeBack(by rights.Actor, t *tasks.State, r tasks.Requeue) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.Context), time.Minute)
	defer cancel()
	if done, err := v.merged(ctx, t); done || err != nil {
		return err
	}
	if r.Task = t.ID; t.Status == tasks.InProgress {
		r.Owner, r.Epoch = t.Owner, t.Epoch
	}
	if err := v.As(by).Requeue(ctx, r); err != nil {
		return err
	}
	if t.Status == tasks.InProgress {
		v.Post.Withdraw(t.Owner, dispatcher.MessageID(t.ID, t.Epoch))
	}
	return nil
}

// release requeues a task. A task that is requeued again and again waits longer each time, and is on hold at last; a conflict that
// helm has reported does not count. A restart of helm restarts the count.
func (s *Ship) release(ctx context.Context, r proto.ReleaseRequest) (any, error) {
	if err := s.LockForWrite(ctx); err != nil {
		return nil, err
	}
	defer s.Busy.Unlock()
	v := s.v
	t, _, err := s.Asks(rights.Release, r.Claim)
	if err != nil {
		return nil, err
	}
	why := clean.Bound(r.Reason, maxText)
	back := tasks.Requeue{Reason: s.Name + ": " + why}
	_, clashes := s.State().Refusals.ClashOf(tasks.ClaimID(t.ID, t.Epoch))
	failed := r.Trouble == "" && !clashes // else it says nothing about the task
	n := 0
	switch {
	case failed:
		s.Recovered()
		n = v.Records.Failures(facts.Work, t.ID) + 1
		back.Delay = time.Second << n
		if n >= v.Kind.Tries() {
			back.Delay, back.Hold = 0, true
		}
	case r.Trouble != "":
		s.HasTrouble(t.ID, r.Trouble)
	}
	if err := v.Hinders.OrAway(t.ID, v.takeBack(s.Actor(), t, back)); err != nil {
		return nil, err
	}
	if failed {
		v.Records.Failed(facts.Work, t.ID)
		if back.Hold {
			text := fmt.Sprintf("task %s failed %d times and is on hold; fix the cause, then: %s. Last: %s", t.ID, n, v.Dir.Command("requeue %s", t.ID), why)
			if n == 1 {
				text = fmt.Sprintf("task %s failed and is on hold; to try it again: %s. It says: %s", t.ID, v.Dir.Command("requeue %s", t.ID), why)
			}
			v.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: text})
		}
	}
	return nil, nil
}

// Requeue makes a task ready again at the captain's word, whether it is on hold or a ship has it. Or it puts the task on hold. It waits
// while the task is being merged.
func (v *Voyage) Requeue(ctx context.Context, r api.RequeueRequest) (api.Requeued, error) {
	var was api.Requeued
	t := v.Store.Snapshot().Task(r.Task)
	if t == nil {
		return was, api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: r.Task})
	}
	if v.Captain.IsParent(t) {
		return was, api.Refused("task %s consists of others, and is done when they are: requeue one of those", t.ID)
	}
	if err := hubs.CheckOwn(v.Info.HubNumber(), t); err != nil {
		return was, err
	}
	if r.Agent != "" {
		if _, err := v.Captain.Edit(ctx, api.EditRequest{Edit: tasks.Edit{Task: t.ID, Agent: &r.Agent, Reason: r.Reason}}); err != nil {
			return was, err
		}
	}
	kept, release, err := v.seize(ctx, t)
	if err != nil {
		return was, err
	}
	defer release()
	now := v.Store.Snapshot().Task(r.Task)
	v.Records.ForgetFailures("", t.ID) // the captain has mended it
	back := tasks.Requeue{Reason: "requeued by the captain" + edits.Because(r.Reason)}
	if r.Hold {
		back = tasks.Requeue{Hold: true, Reason: "put on hold by the captain" + edits.Because(r.Reason)}
	}
	if now.Status == tasks.InProgress {
		was.Ship = now.Owner
	}
	was.OnHold, was.Review = now.OnHold, now.InReview()
	if now.InReview() && r.Hold {
		return was, api.Refused("work on task %s is handed in: reject it with %s, or cancel the task", t.ID, v.Dir.Command("reject %s", t.ID))
	}
	if now.InReview() {
		back.Back, back.For = now.HandIn.Commit, v.stays(now.HandIn.Owner)
	}
	was.Kept = kept
	if r.Fresh {
		if back.Fresh, back.For = true, ""; kept == "" {
			if was.Kept, err = v.keepAttempt(ctx, now); err != nil {
				return was, v.Hinders.OrAway(t.ID, err)
			}
		}
	}
	err = v.takeAway(rights.Captain, now, kept, back)
	var no *tasks.Refusal
	if errors.As(err, &no) {
		return was, api.Refused("%v", no)
	}
	return was, err
}

// keepAttempt keeps on a ref what was handed in for a task, or was interrupted, and returns the ref, "" for nothing.
func (v *Voyage) keepAttempt(ctx context.Context, t *tasks.State) (string, error) {
	commit, ship := t.Draft, t.From
	if t.HandIn != nil {
		commit, ship = t.HandIn.Commit, t.HandIn.Owner
	}
	if commit == "" || ship == "" || !v.Work.Has(ctx, commit) {
		return "", nil
	}
	return v.Work.KeepParked(ctx, ship, commit)
}

// seize locks a task against its ship, merges and claims, and parks the ship's work on a ref. Call release to
// unlock it.
func (v *Voyage) seize(ctx context.Context, t *tasks.State) (kept string, release func(), err error) {
	var undo []func()
	release = func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}
	lock := func(t turn.Turn) error {
		err := t.Lock(ctx)
		if err == nil {
			undo = append(undo, t.Unlock)
		}
		return err
	}
	s, gone := v.ShipNamed(t.Owner)
	switch {
	case t.InReview() && gone == nil:
		if err = lockBoth(ctx, v.merges, s.Busy); err == nil {
			undo = append(undo, v.merges.Unlock, s.Busy.Unlock)
		}
	case t.InReview():
		err = lock(v.merges)
	case gone == nil:
		err = lock(s.Busy)
	}
	if err == nil && gone == nil && s.Holds(t.ID, t.Epoch) {
		kept = s.Park(ctx)
	}
	if err == nil {
		v.grants.Lock()
		undo = append(undo, v.grants.Unlock)
		if now := v.Store.Snapshot().Task(t.ID); now.Owner != t.Owner || now.Epoch != t.Epoch || now.Status != t.Status {
			err = api.Refused("task %s has just changed hands: look again", t.ID)
		}
	}
	if err != nil {
		release()
		return "", nil, err
	}
	return kept, release, nil
}

// lockBoth takes two turns, in this order. It does not hold the first while it waits for the second: a tree may be in use for long.
func lockBoth(ctx context.Context, first, second turn.Turn) error {
	for {
		if err := first.Lock(ctx); err != nil {
			return err
		}
		if second.TryLock() {
			return nil
		}
		first.Unlock()
		if err := second.Lock(ctx); err != nil {
			return err
		}
		second.Unlock()
	}
}

// reclaim makes a lost ship's tasks pending again, and lets go of those of a group that
// were reserved for it. What cannot be taken back is told, and an error. The caller holds the ship's tree, if it has one.
func (v *Voyage) reclaim(by rights.Actor, ship, reason string) error {
	var failed []error
	for _, t := range v.Store.Snapshot().Open() {
		works := t.Status == tasks.InProgress && t.Owner == ship
		var err error
		switch {
		case works:
			err = v.takeAway(by, t, v.keptOf(ship), tasks.Requeue{Reason: reason})
		case t.ReservedFor == ship:
			err = v.As(by).Requeue(context.WithoutCancel(v.Context), tasks.Requeue{Task: t.ID, Owner: ship, Reason: reason})
		default:
			continue
		}
		var no *tasks.Refusal
		switch {
		case errors.As(err, &no): // it is not the ship's any more
		case err != nil:
			failed = append(failed, err)
			v.Notes.Add(fleet.Note{Ship: ship, Task: t.ID, Text: "its task could not be taken back: " + err.Error()})
		case works:
			v.Notes.Add(fleet.Note{Ship: ship, Task: t.ID, Text: fmt.Sprintf("task %s is no longer held by %s: %s", t.ID, ship, reason)})
		}
	}
	return errors.Join(failed...)
}

// settleLost settles what a ship leaves behind that is proven gone, or silent for too long.
// It comes back to it later when the tree is in use.
func (s *Ship) settleLost(by rights.Actor, reason string) {
	if s.Busy.TryLock() {
		defer s.Busy.Unlock()
		_ = s.v.reclaim(by, s.Name, reason) // it comes back to that
	}
}

// listen gives a ship's task to others after the silence that the captain chose. A
// ship's silence is counted while helm runs and the hub is awake: a laptop that slept
// proves nothing.
func (v *Voyage) listen() {
	if v.Info.Reclaim <= 0 {
		return
	}
	for retry.Sleep(v.Context, 5*time.Second) == nil {
		silent := reads(v, func() (silent []*Ship) {
			now := time.Now()
			for _, s := range v.ships {
				if s.Reach.IsSilent(now, v.common.Awake(now), v.Info.Reclaim) {
					silent = append(silent, s)
				}
			}
			return silent
		})
		for _, s := range silent {
			s.settleLost(rights.Clock, fmt.Sprintf("nothing was heard of %s for %s", s.Name, v.Info.Reclaim))
		}
	}
}
