package ledger

import (
	"errors"
	"fmt"
	"time"

	"ocaptain/tasks"
)

// suggestions is how many ready tasks a refusal names.
const suggestions = 10

// maxOwner is the longest name of an owner in bytes.
const maxOwner = 200

// MaxHubs is how many hubs may share the tasks.
const MaxHubs = 100

// Refusals that are the same for every task.
var (
	errOwner     = errors.New("a claim needs an owner of at most 200 bytes")
	errHub       = errors.New("a hub needs a name of at most 200 bytes")
	errTerms     = errors.New("only the hub that joins first can say terms")
	errLongOwner = errors.New("a reservation needs an owner of at most 200 bytes")
)

// Claim judges the claim of a task, or of its review if review is set. It returns the task and the change that grants
// the claim; the change is nil when the owner already holds it.
func (l *Ledger) Claim(now time.Time, owner, id string, review bool) (*Entry, *Change, error) {
	if owner == "" || len(owner) > maxOwner {
		return nil, nil, errOwner
	}
	l.promote(now)
	var e *Entry
	if id == "" {
		if e = l.choose(owner); e == nil {
			return nil, nil, &tasks.Refusal{Why: tasks.NothingReady}
		}
	} else if e = l.Entries[id]; e == nil {
		return nil, nil, &tasks.Refusal{Why: tasks.Unknown, Task: id, Ready: l.choices(owner, suggestions)}
	}
	s := e.State
	no := &tasks.Refusal{Task: s.ID}
	open := e.openBlockers()
	on, may := tasks.Under(s, open, owner)
	switch {
	case s.Status == tasks.InProgress && s.Owner == owner:
		return e, nil, nil
	case s.Status == tasks.Completed:
		no.Why, no.Owner = tasks.Done, s.Owner
	case s.Status == tasks.InProgress:
		no.Why, no.Owner = tasks.Taken, s.Owner
	case s.ReservedFor != "" && s.ReservedFor != owner:
		no.Why, no.Owner = tasks.Taken, s.ReservedFor
	case s.Approved():
		no.Why, no.Owner = tasks.Taken, s.HandIn.Owner
	case len(open) > 0 && !may:
		no.Why = tasks.Blocked
		for _, b := range open {
			no.Open = append(no.Open, b.ID)
		}
	case s.OnHold:
		no.Why, no.Cause = tasks.OnHold, s.Reason
	case s.RemainingDelay(now) > 0:
		no.Why, no.Until = tasks.Delayed, s.NotBefore
	case s.InReview() && !review:
		no.Why, no.Owner = tasks.Taken, s.HandIn.Owner
	case review && !s.InReview():
		no.Why = tasks.Stale
	default:
		return e, &Change{Kind: claimed, Task: s.ID, Owner: owner, Epoch: max(s.Epoch, l.Floor) + 1, Commit: on}, nil
	}
	no.Ready = l.choices(owner, suggestions)
	return nil, nil, no
}

// Reservation judges a reservation. The change is nil when the task is already reserved for the owner.
func (l *Ledger) Reservation(id, owner string) (*Change, error) {
	if len(owner) > maxOwner {
		return nil, errLongOwner
	}
	e := l.Entries[id]
	if e == nil {
		return nil, &tasks.Refusal{Why: tasks.Unknown, Task: id}
	}
	s := e.State
	switch {
	case s.Status == tasks.Completed:
		return nil, &tasks.Refusal{Why: tasks.Done, Task: id, Owner: s.Owner}
	case s.Status == tasks.InProgress:
		return nil, &tasks.Refusal{Why: tasks.Taken, Task: id, Owner: s.Owner}
	case e.group != nil:
		return nil, fmt.Errorf("task %s belongs to group %q: whoever claims a task of the group has all of it reserved", id, s.Group())
	case s.ReservedFor == owner:
		return nil, nil
	}
	return &Change{Kind: reserved, Task: id, Owner: owner}, nil
}

// Complete judges a completion. The change is nil when this completion was accepted before.
func (l *Ledger) Complete(c tasks.Completion) (*Change, error) {
	e := l.Entries[c.Task]
	if e == nil {
		return nil, &tasks.Refusal{Why: tasks.Unknown, Task: c.Task}
	}
	s := e.State
	current := s.Owner == c.Owner && s.Epoch == c.Epoch && c.Epoch > 0
	switch {
	case s.Status == tasks.Completed && current && s.Commit == c.Commit:
		return nil, nil
	case s.Status == tasks.Completed:
		return nil, &tasks.Refusal{Why: tasks.Done, Task: s.ID, Owner: s.Owner}
	case Completes(s, c.Owner, c.Epoch):
		return &Change{Kind: Completed, Task: s.ID, Owner: c.Owner, Epoch: c.Epoch, Commit: c.Commit, Empty: c.Empty}, nil
	}
	return nil, &tasks.Refusal{Why: tasks.Stale, Task: s.ID, Owner: s.Owner}
}

// Reopen judges a request to reopen a completed task. The change is nil when the task is not completed.
func (l *Ledger) Reopen(r tasks.Reopen) (*Change, error) {
	e := l.Entries[r.Task]
	if e == nil {
		return nil, &tasks.Refusal{Why: tasks.Unknown, Task: r.Task}
	}
	s := e.State
	switch {
	case s.Cancelled:
		return nil, &tasks.Refusal{Why: tasks.Done, Task: s.ID}
	case s.Status != tasks.Completed:
		return nil, nil
	case r.Epoch != s.Epoch:
		return nil, &tasks.Refusal{Why: tasks.Stale, Task: s.ID, Owner: s.Owner}
	}
	return &Change{Kind: reopened, Task: s.ID, Owner: s.Owner, Epoch: s.Epoch, Reason: r.Reason, By: r.By}, nil
}

// Requeue judges a request to requeue a task.
func (l *Ledger) Requeue(now time.Time, r tasks.Requeue) (*Change, error) {
	e := l.Entries[r.Task]
	if e == nil {
		return nil, &tasks.Refusal{Why: tasks.Unknown, Task: r.Task}
	}
	s := e.State
	switch {
	case s.Status == tasks.Completed:
		return nil, &tasks.Refusal{Why: tasks.Done, Task: s.ID, Owner: s.Owner}
	case r.Epoch != 0 && (s.Status != tasks.InProgress || s.Epoch != r.Epoch),
		r.Owner != "" && s.Owner != r.Owner && s.ReservedFor != r.Owner,
		r.Back != "" && (s.HandIn == nil || s.HandIn.Commit != r.Back):
		return nil, &tasks.Refusal{Why: tasks.Stale, Task: s.ID, Owner: s.Owner}
	}
	c := &Change{Kind: requeued, Task: s.ID, Owner: s.Owner, Epoch: s.Epoch, Reason: r.Reason, By: r.By, Hold: r.Hold, Proposed: r.Proposed}
	if r.Back != "" {
		c.Back, c.For, c.Rejected = true, r.For, r.Rejected
	} else {
		c.Commit = r.Work
	}
	c.Fresh = r.Fresh
	if r.GoesOn {
		c.GoesOn, c.For = true, r.For
	}
	if r.Delay > 0 {
		c.NotBefore = now.Add(r.Delay).UTC()
	}
	return c, nil
}

// openBlockers returns the blockers that are not completed.
func (e *Entry) openBlockers() []*tasks.State {
	var open []*tasks.State
	for _, b := range e.blockers {
		if b.State.Status != tasks.Completed {
			open = append(open, b.State)
		}
	}
	return open
}

// CurrentGrant returns the grant of the current claim on e.
func (e *Entry) CurrentGrant() tasks.Grant {
	g := tasks.Grant{Task: e.State.Clone(), Epoch: e.State.Epoch}
	if e.group != nil {
		for _, m := range e.group.members {
			if m != e && e.State.HandIn == nil && m.State.HandIn == nil && m.State.Status != tasks.Completed {
				g.Group = append(g.Group, m.State.ID)
			}
		}
	}
	return g
}
