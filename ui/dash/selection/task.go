package selection

import "ocaptain/tasks"

// NoTask returns why nothing can be done with a task.
func (s Selection) NoTask() string {
	if s.Task == nil {
		return "no task is selected"
	}
	return ""
}

// NoOwner returns why there is no ship of the task to act on.
func (s Selection) NoOwner() string {
	switch {
	case s.Task == nil:
		return s.NoTask()
	case s.Task.Owner == "":
		return "no ship holds task " + s.id()
	}
	return ""
}

// NothingToRequeue returns why the task cannot be requeued.
func (s Selection) NothingToRequeue() string {
	if s.Task != nil && (s.Task.OnHold || s.Task.InReview()) {
		return ""
	}
	return s.NoOwner()
}

// NoOpenTask returns why the task cannot be changed.
func (s Selection) NoOpenTask() string {
	switch {
	case s.Task == nil:
		return s.NoTask()
	case s.Task.Status == tasks.Completed:
		return "task " + s.id() + " is completed"
	}
	return ""
}

// NothingToHold returns why the task can be neither put on hold nor taken off it.
func (s Selection) NothingToHold() string {
	if s.Task != nil && s.Task.InReview() {
		return "work on task " + s.id() + " is handed in: approve or reject it"
	}
	return s.NoOpenTask()
}

// NothingDone returns why there is no work of the task to take: it is on a branch only once the task is completed.
func (s Selection) NothingDone() string {
	switch {
	case s.Task == nil:
		return s.NoTask()
	case s.Task.Status != tasks.Completed || s.Task.Cancelled:
		return "task " + s.id() + " is not completed"
	}
	return ""
}

// NothingToRevert returns why the task cannot be reverted.
func (s Selection) NothingToRevert() string {
	if s.Board != nil && s.Board.Voyage.Kind.TakesDispatches() {
		return "work of a pool is on branches of its own: delete the branch"
	}
	return s.NothingDone()
}

// NothingAsked returns why there is nothing to approve or reject.
func (s Selection) NothingAsked() string {
	switch {
	case s.Question != nil || s.Proposal != nil:
		return ""
	case s.OnDiff:
		return "nothing that is shown waits for you to approve it"
	case s.Task == nil:
		return s.NoTask()
	}
	return "task " + s.id() + " does not wait for you to approve anything"
}

// NoGraph returns why the tasks cannot be arranged by what they wait for.
func (s Selection) NoGraph() string {
	if s.Pool() != "" {
		return "a dispatch waits for a worker and for no other dispatch"
	}
	return ""
}

// NoBlockers returns why no blockers of the task can be shown.
func (s Selection) NoBlockers() string {
	if why := s.NoGraph(); why != "" {
		return why
	}
	return s.NoTask()
}

// NoNextOrNew returns why there is neither a next match of a filter nor a way to add a task.
func (s Selection) NoNextOrNew() string {
	switch {
	case s.Filtered:
		return ""
	case s.Board != nil && s.Board.Voyage.Kind.TakesDispatches():
		return "a pool has no list of tasks: p dispatches a command"
	}
	return s.NoVoyage()
}
