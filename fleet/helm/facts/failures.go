package facts

import "maps"

// Failures counts failures by task and by what failed.
type Failures map[Failure]int

// Failure is the key of Failures.
type Failure struct {
	Of   string // Work, Plan or Merge
	Task string
}

// What can fail. Each is counted separately, as each has its own cause.
const (
	Work  = "work"  // a ship releases the task without having done it
	Plan  = "plan"  // the tasks into which a ship breaks down the task are unusable
	Merge = "merge" // handed-in work cannot be merged, and neither the work nor the hub is to blame
)

// Count counts a failure, and returns how often it was counted.
func (f *Failures) Count(of, task string) int {
	n := (*f)[Failure{of, task}] + 1
	set((*map[Failure]int)(f), Failure{of, task}, n)
	return n
}

// Of returns how many failures were counted.
func (f Failures) Of(of, task string) int { return f[Failure{of, task}] }

// Forget sets a count back to 0.
func (f Failures) Forget(of, task string) { delete(f, Failure{of, task}) }

// ForgetAll sets all counts of a task back to 0.
func (f Failures) ForgetAll(task string) {
	maps.DeleteFunc(f, func(x Failure, _ int) bool { return x.Task == task })
}
