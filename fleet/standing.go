package fleet

import (
	"slices"
	"time"

	"ocaptain/tasks"
)

// Standing is where a task stands, in the order in which tasks are listed.
type Standing uint8

// The standings.
const (
	TaskOnHold   Standing = iota // no ship gets it before it is requeued
	TaskWorking                  // somebody does it
	TaskInReview                 // it was handed in, and is not merged yet
	TaskReady
	TaskBlocked // it waits for others
	TaskDelayed // it waits for a time
	TaskDone
	TaskCancelled
	standings = iota
)

// String is the word for a standing.
func (s Standing) String() string {
	return [standings]string{"on hold", "in progress", "in review", "ready", "blocked", "delayed", "completed", "cancelled"}[s]
}

// IsOver reports whether nothing is left to do of such a task.
func (s Standing) IsOver() bool { return s == TaskDone || s == TaskCancelled }

// MarshalText is String.
func (s Standing) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Stand judges where a task stands; blocked says that a task it depends on is not completed.
func Stand(t *tasks.State, blocked bool, now time.Time) Standing {
	switch {
	case t.Cancelled:
		return TaskCancelled
	case t.Status == tasks.Completed:
		return TaskDone
	case t.OnHold:
		return TaskOnHold
	case t.InReview():
		return TaskInReview
	case t.Status == tasks.InProgress:
		return TaskWorking
	case blocked:
		return TaskBlocked
	case t.RemainingDelay(now) > 0:
		return TaskDelayed
	}
	return TaskReady
}

// Tally is how many tasks stand where.
type Tally [standings]int

// Total is how many tasks there are.
func (t Tally) Total() (n int) {
	for _, one := range t {
		n += one
	}
	return n
}

// Over is how many nothing is left to do of.
func (t Tally) Over() int { return t[TaskDone] + t[TaskCancelled] }

// Pending is how many tasks no ship has begun or goes on with, without those on hold.
func (t Tally) Pending() int { return t[TaskReady] + t[TaskBlocked] + t[TaskDelayed] }

// ReviewStep is where a task that is in review stands.
type ReviewStep string

// The steps.
const (
	StepWaits     ReviewStep = "waits" // for its turn to be checked or, once that was done, for a validator
	StepReviewing ReviewStep = "reviewing"
	StepMerging   ReviewStep = "merging" // it is approved
	StepHeld      ReviewStep = "on hold" // the review failed, and not the work
)

// StepOf is the step at which a task in review is, "" for another.
func StepOf(t *tasks.State) ReviewStep {
	switch {
	case !t.InReview():
		return ""
	case t.Approved():
		return StepMerging
	case t.Status == tasks.InProgress:
		return StepReviewing
	case t.OnHold:
		return StepHeld
	}
	return StepWaits
}

// Reviewer is the ship that reviews a task, or has approved it, "" for none.
func Reviewer(t *tasks.State) string {
	switch {
	case t.HandIn != nil && t.HandIn.Review != nil:
		return t.HandIn.Review.By
	case StepOf(t) == StepReviewing:
		return t.Owner
	}
	return ""
}

// IsBack reports whether work on a task was handed in and came back, and with whom it is: "" for anybody who claims it.
func IsBack(t *tasks.State) (with string, back bool) {
	if t.Draft == "" || t.Status == tasks.Completed {
		return "", false
	}
	if t.Status == tasks.InProgress {
		return t.Owner, true
	}
	return t.ReservedFor, true
}

// Queued is work in the merge queue.
type Queued struct {
	Task     string     `json:"task"`
	Subject  string     `json:"subject"`
	Owner    string     `json:"owner"` // who did the work
	Commit   string     `json:"commit"`
	HandedIn time.Time  `json:"handedIn"`
	Step     ReviewStep `json:"step"`
	Checked  bool       `json:"checked"`            // verify.sh was run on it
	Passed   bool       `json:"passed"`             // and passed; else it fails without the work as well
	Reviewer string     `json:"reviewer,omitempty"` // who reviews it or has approved it
}

// MergeQueue lists what was handed in and is not merged yet, the oldest first.
func (b *Board) MergeQueue() []Queued {
	all := []Queued{}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		if h := t.HandIn; t.InReview() {
			all = append(all, Queued{t.ID, t.Subject, h.Owner, h.Commit, h.At, StepOf(t), h.Checked != "", h.Passed, Reviewer(t)})
		}
	}
	slices.SortStableFunc(all, func(a, b Queued) int { return a.HandedIn.Compare(b.HandedIn) })
	return all
}
