package facts

import "maps"

// Failures counts how often something about a task failed.
type Failures map[Failure]int

// Failure is what failed.
type Failure struct {
	Of   string // Work, Plan or Merge
	Task string
}

// What fails: each counts by itself, as each has a cause of its own.
const (
	Work  = "work"  // a ship gives it back undone
	Plan  = "plan"  // the tasks into which a ship breaks it down cannot be used
	Merge = "merge" // what was handed in cannot be merged, for a reason that is neither the work's nor the hub's
)

// Count counts a failure, and returns how often it was counted.
func (f *Failures) Count(of, task string) int {
	n := (*f)[Failure{of, task}] + 1
	set((*map[Failure]int)(f), Failure{of, task}, n)
	return n
}

// Of is how often it failed.
func (f Failures) Of(of, task string) int { return f[Failure{of, task}] }

// Forget forgets how often something about a task failed.
func (f Failures) Forget(of, task string) { delete(f, Failure{of, task}) }

// ForgetAll forgets all failures of a task.
func (f Failures) ForgetAll(task string) {
	maps.DeleteFunc(f, func(x Failure, _ int) bool { return x.Task == task })
}
