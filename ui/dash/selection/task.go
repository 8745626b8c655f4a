package selection

import "ocaptain/tasks"

// NoTask is about an action on a task.
func (s Selection) NoTask() string {
	if s.Task == nil {
		return "no task is selected"
	}
	return ""
}

// NoOwner is about the ship that holds the task.
func (s Selection) NoOwner() string {
	switch {
	case s.Task == nil:
		return s.NoTask()
	case s.Task.Owner == "":
		return "no ship holds task " + s.id()
	}
	return ""
}

// NothingToRequeue is about requeueing the task.
func (s Selection) NothingToRequeue() string {
	if s.Task != nil && (s.Task.OnHold || s.Task.InReview()) {
		return ""
	}
	return s.NoOwner()
}

// NoOpenTask is about changing the task.
func (s Selection) NoOpenTask() string {
	switch {
	case s.Task == nil:
		return s.NoTask()
	case s.Task.Status == tasks.Completed:
		return "task " + s.id() + " is completed"
	}
	return ""
}

// NothingToHold is about putting the task on hold, and off it.
func (s Selection) NothingToHold() string {
	if s.Task != nil && s.Task.InReview() {
		return "work on task " + s.id() + " is handed in: approve or reject it"
	}
	return s.NoOpenTask()
}

// NothingDone is about the work of the task, which is on a branch once the task is completed.
func (s Selection) NothingDone() string {
	switch {
	case s.Task == nil:
		return s.NoTask()
	case s.Task.Status != tasks.Completed || s.Task.Cancelled:
		return "task " + s.id() + " is not completed"
	}
	return ""
}

// NothingToRevert is about reverting the task.
func (s Selection) NothingToRevert() string {
	if s.Board != nil && s.Board.Voyage.Kind.TakesDispatches() {
		return "work of a pool is on branches of its own: delete the branch"
	}
	return s.NothingDone()
}

// NothingAsked is about approving or rejecting.
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

// NoGraph is about arranging tasks by what they wait for.
func (s Selection) NoGraph() string {
	if s.Pool() != "" {
		return "a dispatch waits for a worker and for no other dispatch"
	}
	return ""
}

// NoBlockers is about what blocks the task.
func (s Selection) NoBlockers() string {
	if why := s.NoGraph(); why != "" {
		return why
	}
	return s.NoTask()
}

// NoNextOrNew is about the next match of a filter, or else a new task.
func (s Selection) NoNextOrNew() string {
	switch {
	case s.Filtered:
		return ""
	case s.Board != nil && s.Board.Voyage.Kind.TakesDispatches():
		return "a pool has no list of tasks: p dispatches a command"
	}
	return s.NoVoyage()
}
