// Package records keeps what helm writes to the journal about claims, beside the tasks themselves.
package records

import (
	"maps"
	"slices"
	"sync"
	"time"

	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/helm/facts"
	"ocaptain/tasks"
)

// Records keeps the records of one voyage. A method that adds a record returns once the journal has it. Its methods
// are safe for concurrent use.
type Records struct {
	book *book.Book

	mu       sync.Mutex
	is       facts.State
	failures facts.Failures // since helm began
}

// New returns Records that begin with the state of the journal.
func New(b *book.Book, was facts.State) *Records { return &Records{book: b, is: was} }

// add changes the state and adds a record of that to the journal.
func (r *Records) add(kind string, data any, change func()) error {
	r.mu.Lock()
	change()
	written := r.book.Add(kind, data)
	r.mu.Unlock()
	return written.Wait()
}

// CheckOut records which commit was checked out in a ship's tree.
func (r *Records) CheckOut(c facts.Checkout) {
	_ = r.add(facts.KindCheckout, c, func() { r.is.Claims.CheckOut(c) })
}

// IsCheckedOut reports whether a tree was brought up to date for the claim that a task shows.
func (r *Records) IsCheckedOut(t *tasks.State) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.is.Claims.IsCheckedOut(t.ID, t.Epoch)
}

// StandsFor returns the task of the last checkout in a ship's tree, "" for none.
func (r *Records) StandsFor(ship string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.is.Claims.StandsFor(ship)
}

// Fence records that a claim was ended against its owner's will.
func (r *Records) Fence(f facts.Fence) {
	_ = r.add(facts.KindFence, f, func() { r.is.Claims.AddFence(f) })
}

// FenceOf returns how a claim was ended, and false if it was not.
func (r *Records) FenceOf(task string, epoch uint64) (facts.Fence, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.is.Claims.FenceOf(task, epoch)
}

// Conflict counts a conflict of a ship's work. The journal gets it only if isWritten.
func (r *Records) Conflict(c facts.Conflict, isWritten bool) {
	r.mu.Lock()
	c.Count = r.is.Claims.CountConflict(c.Ship)
	r.mu.Unlock()
	if isWritten {
		_ = r.book.Add(facts.KindConflict, c).Wait()
	}
}

// Conflicts returns how many conflicts a ship's work has had.
func (r *Records) Conflicts(ship string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.is.Claims.Conflicts(ship)
}

// Mark records the state of a dispatch.
func (r *Records) Mark(kind string, m dispatch.Mark) {
	_ = r.add(kind, m, func() { r.is.Marks.Add(time.Now(), kind, m) })
}

// Cancel records how far a cancellation is. A cancellation that the journal does not have is none.
func (r *Records) Cancel(c facts.Cancel) error {
	err := r.add(facts.KindCancel, c, func() { r.is.Cancels.Add(c) })
	if err != nil && !c.Over {
		r.mu.Lock()
		r.is.Cancels.Add(facts.Cancel{Task: c.Task, Over: true})
		r.mu.Unlock()
	}
	return err
}

// Cancels returns the unfinished cancellations.
func (r *Records) Cancels() []facts.Cancel {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.is.Cancels))
}

// Failures returns how often something of a task has failed: facts.Work, facts.Plan or facts.Merge.
func (r *Records) Failures(of, task string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures.Of(of, task)
}

// Failed counts a failure, and returns how often it was counted.
func (r *Records) Failed(of, task string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failures.Count(of, task)
}

// ForgetFailures sets a count back to 0, or with "" all counts of a task.
func (r *Records) ForgetFailures(of, task string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if of == "" {
		r.failures.ForgetAll(task)
		return
	}
	r.failures.Forget(of, task)
}

// DropCurrent drops the fences of claims that are still current, since helm ended before it had ended these claims.
func (r *Records) DropCurrent(task func(id string) *tasks.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.is.Claims.DropCurrent(task)
}

// Forget drops what no ship can ask for any more.
func (r *Records) Forget(task func(id string) *tasks.State, there map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.is.Forget(task, there)
}

// Restate adds everything to the journal again, which has lost it.
func (r *Records) Restate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, is := range r.is.Records() {
		at := is.At
		if at.IsZero() {
			at = time.Now()
		}
		r.book.AddAt(at, is.Kind, is.Data)
	}
}
