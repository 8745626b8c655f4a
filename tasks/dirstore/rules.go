package dirstore

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

// What is refused whatever the state of the task.
var (
	errOwner     = errors.New("a claim needs an owner of at most 200 bytes")
	errLongOwner = errors.New("a reservation needs an owner of at most 200 bytes")
)

// claim judges a claim, or one of a review. It returns the task and, unless the owner holds it
// already, the change that grants it.
func (l *ledger) claim(now time.Time, owner, id string, review bool) (*entry, *change, error) {
	if owner == "" || len(owner) > maxOwner {
		return nil, nil, errOwner
	}
	l.promote(now)
	var e *entry
	if id == "" {
		if e = l.choose(owner); e == nil {
			return nil, nil, &tasks.Refusal{Why: tasks.NothingReady}
		}
	} else if e = l.entries[id]; e == nil {
		return nil, nil, &tasks.Refusal{Why: tasks.Unknown, Task: id, Ready: l.choices(owner, suggestions)}
	}
	s := e.state
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
		return e, &change{Kind: claimed, Task: s.ID, Owner: owner, Epoch: max(s.Epoch, l.floor) + 1, Commit: on}, nil
	}
	no.Ready = l.choices(owner, suggestions)
	return nil, nil, no
}

// reservation judges a reservation. The change is nil when the owner has it already.
func (l *ledger) reservation(id, owner string) (*change, error) {
	if len(owner) > maxOwner {
		return nil, errLongOwner
	}
	e := l.entries[id]
	if e == nil {
		return nil, &tasks.Refusal{Why: tasks.Unknown, Task: id}
	}
	s := e.state
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
	return &change{Kind: reserved, Task: id, Owner: owner}, nil
}

// complete judges a completion. The change is nil when it was accepted before.
func (l *ledger) complete(c tasks.Completion) (*change, error) {
	e := l.entries[c.Task]
	if e == nil {
		return nil, &tasks.Refusal{Why: tasks.Unknown, Task: c.Task}
	}
	s := e.state
	current := s.Owner == c.Owner && s.Epoch == c.Epoch && c.Epoch > 0
	switch {
	case s.Status == tasks.Completed && current && s.Commit == c.Commit:
		return nil, nil
	case s.Status == tasks.Completed:
		return nil, &tasks.Refusal{Why: tasks.Done, Task: s.ID, Owner: s.Owner}
	case completes(s, c.Owner, c.Epoch):
		return &change{Kind: completed, Task: s.ID, Owner: c.Owner, Epoch: c.Epoch, Commit: c.Commit, Empty: c.Empty}, nil
	}
	return nil, &tasks.Refusal{Why: tasks.Stale, Task: s.ID, Owner: s.Owner}
}

// requeue judges a requeue.
func (l *ledger) requeue(now time.Time, r tasks.Requeue) (*change, error) {
	e := l.entries[r.Task]
	if e == nil {
		return nil, &tasks.Refusal{Why: tasks.Unknown, Task: r.Task}
	}
	s := e.state
	switch {
	case s.Status == tasks.Completed:
		return nil, &tasks.Refusal{Why: tasks.Done, Task: s.ID, Owner: s.Owner}
	case r.Epoch != 0 && (s.Status != tasks.InProgress || s.Epoch != r.Epoch),
		r.Owner != "" && s.Owner != r.Owner && s.ReservedFor != r.Owner,
		r.Back != "" && (s.HandIn == nil || s.HandIn.Commit != r.Back):
		return nil, &tasks.Refusal{Why: tasks.Stale, Task: s.ID, Owner: s.Owner}
	}
	c := &change{Kind: requeued, Task: s.ID, Owner: s.Owner, Epoch: s.Epoch, Reason: r.Reason, Hold: r.Hold, Proposed: r.Proposed}
	if r.Back != "" {
		c.Back, c.For, c.Rejected = true, r.For, r.Rejected
	}
	if r.GoesOn {
		c.GoesOn, c.Commit, c.For = true, r.Work, r.For
	}
	if r.Delay > 0 {
		c.NotBefore = now.Add(r.Delay).UTC()
	}
	return c, nil
}

// openBlockers returns the blockers that are not completed.
func (e *entry) openBlockers() []*tasks.State {
	var open []*tasks.State
	for _, b := range e.blockers {
		if b.state.Status != tasks.Completed {
			open = append(open, b.state)
		}
	}
	return open
}

// currentGrant describes the claim that is on e.
func (e *entry) currentGrant() tasks.Grant {
	g := tasks.Grant{Task: e.state.Clone(), Epoch: e.state.Epoch}
	if e.group != nil {
		for _, m := range e.group.members {
			if m != e && e.state.HandIn == nil && m.state.HandIn == nil && m.state.Status != tasks.Completed {
				g.Group = append(g.Group, m.state.ID)
			}
		}
	}
	return g
}
