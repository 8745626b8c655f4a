package fleet

import (
	"slices"
	"time"

	"ocaptain/tasks"
)

// Standing is the state of a task as people see it. The order of the constants is that of lists.
type Standing uint8

// The standings.
const (
	TaskOnHold   Standing = iota // no ship gets it before a requeue
	TaskWorking                  // an owner works on it
	TaskInReview                 // it was handed in, and is not yet merged
	TaskReady
	TaskBlocked // it waits for other tasks
	TaskDelayed // it waits for a time
	TaskDone
	TaskCancelled
	standings = iota
)

// String is the word for a standing.
func (s Standing) String() string {
	return [standings]string{"on hold", "in progress", "in review", "ready", "blocked", "delayed", "completed", "cancelled"}[s]
}

// IsOver reports whether nothing is left to do for a task with this standing.
func (s Standing) IsOver() bool { return s == TaskDone || s == TaskCancelled }

// MarshalText returns the same word as String.
func (s Standing) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Stand returns the standing of a task. blocked says that a task it depends on is not completed.
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

// Tally counts tasks by standing.
type Tally [standings]int

// Total returns how many tasks there are.
func (t Tally) Total() (n int) {
	for _, one := range t {
		n += one
	}
	return n
}

// Over returns how many tasks have nothing left to do.
func (t Tally) Over() int { return t[TaskDone] + t[TaskCancelled] }

// Pending returns how many tasks wait to be started or continued. Tasks on hold do not count.
func (t Tally) Pending() int { return t[TaskReady] + t[TaskBlocked] + t[TaskDelayed] }

// ReviewStep is the step of a review that a task is at.
type ReviewStep string

// The steps.
const (
	StepWaits     ReviewStep = "waits" // for verify.sh to be run on it, or after that for a validator
	StepReviewing ReviewStep = "reviewing"
	StepMerging   ReviewStep = "merging" // it is approved, and waits for its merge
	StepHeld      ReviewStep = "on hold" // the review itself failed, and says nothing about the work
)

// StepOf returns the step of a task in review, "" for a task that is not in review.
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

// Reviewer returns the ship that reviews a task or has approved it, "" for none.
func Reviewer(t *tasks.State) string {
	switch {
	case t.HandIn != nil && t.HandIn.Review != nil:
		return t.HandIn.Review.By
	case StepOf(t) == StepReviewing:
		return t.Owner
	}
	return ""
}

// IsBack reports whether handed-in work on a task was returned. with is the ship that has to continue it, "" for any.
func IsBack(t *tasks.State) (with string, back bool) {
	if t.Draft == "" || t.Status == tasks.Completed {
		return "", false
	}
	if t.Status == tasks.InProgress {
		return t.Owner, true
	}
	return t.ReservedFor, true
}

// Queued is a task in the merge queue.
type Queued struct {
	Task     string     `json:"task"`
	Subject  string     `json:"subject"`
	Owner    string     `json:"owner"` // the ship that did the work
	Commit   string     `json:"commit"`
	HandedIn time.Time  `json:"handedIn"`
	Step     ReviewStep `json:"step"`
	Checked  bool       `json:"checked"`            // verify.sh was run on the work
	Passed   bool       `json:"passed"`             // verify.sh passed, or fails without the work as well
	Reviewer string     `json:"reviewer,omitempty"` // the ship that reviews it or has approved it
}

// MergeQueue lists the tasks that were handed in and are not yet merged, the oldest first.
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
