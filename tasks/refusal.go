package tasks

import (
	"fmt"
	"strings"
	"time"
)

// Why is the reason of a refusal.
type Why string

// The reasons for a refusal.
const (
	Unknown      Why = "unknown"       // no such task
	Taken        Why = "taken"         // another owner holds or has reserved the task
	Blocked      Why = "blocked"       // the task has blockers that are not completed
	Delayed      Why = "delayed"       // the task cannot be claimed before a later time
	OnHold       Why = "on hold"       // the task cannot be claimed before a requeue
	Done         Why = "done"          // already completed
	Stale        Why = "stale"         // the claim is not the current claim
	NothingReady Why = "nothing ready" // the caller named no id and no task is claimable
)

// Refusal is the error when the rules forbid a claim, reservation, completion or requeue.
type Refusal struct {
	Why   Why
	Task  string
	Owner string    // the owner who holds the task
	Open  []string  // blockers that are not completed
	Until time.Time // when a delay ends
	Cause string    // why it is on hold
	Ready []string  // tasks that the caller could claim instead
}

// Error says in one line what is wrong and what to claim instead. Agents read it.
func (r *Refusal) Error() string {
	var s string
	switch r.Why {
	case Unknown:
		s = fmt.Sprintf("there is no task %s", r.Task)
	case Taken:
		s = fmt.Sprintf("task %s is owned by %s", r.Task, r.Owner)
	case Blocked:
		s = fmt.Sprintf("task %s waits for %s", r.Task, strings.Join(r.Open, ", "))
	case Delayed:
		s = fmt.Sprintf("task %s may not be claimed before %s", r.Task, r.Until.Format(time.TimeOnly))
	case OnHold:
		if s = fmt.Sprintf("task %s is on hold", r.Task); r.Cause != "" {
			s += ": " + r.Cause
		}
	case Done:
		s = fmt.Sprintf("task %s is already completed", r.Task)
	case Stale:
		s = fmt.Sprintf("the claim on task %s is no longer valid", r.Task)
	default:
		s = "no task can be claimed now"
	}
	if len(r.Ready) > 0 {
		s += "; ready: " + strings.Join(r.Ready, ", ")
	}
	return s
}
