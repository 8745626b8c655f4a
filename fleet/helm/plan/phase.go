package plan

import (
	"fmt"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Result is what came of a run of verify.sh.
type Result struct {
	fleet.Verify        // with the fixes that there were before
	Head         string // of the branch, once it had run
	Asked        bool   // by the captain, whatever the phase
}

// Step is what follows.
type Step struct {
	Phase fleet.Phase // the one before, when nothing changes
	Fix   bool        // a FixTask is to be added
}

// Next decides what follows from the tasks, and from a run of verify.sh that has just ended, nil for none. A result that is
// no longer that of the voyage, as something was added or merged meanwhile, concludes nothing.
func (p Plan) Next(phase fleet.Phase, all tasks.Snapshot, r *Result) Step {
	done := p.IsDone(all)
	verified := phase == fleet.Verifying || phase == fleet.Complete || phase == fleet.VerifyFailed
	switch {
	case phase == fleet.Sailing && done:
		return Step{Phase: fleet.Verifying}
	case verified && !done && len(all.Tasks) > 0:
		return Step{Phase: fleet.Sailing}
	case r == nil || !done || r.Commit != r.Head:
		return Step{Phase: phase}
	case r.Asked && phase == fleet.VerifyFailed && r.Passed:
		return Step{Phase: fleet.Complete}
	case r.Asked || phase != fleet.Verifying:
		return Step{Phase: phase}
	case r.Passed:
		return Step{Phase: fleet.Complete}
	case r.Fixes < p.Fixes:
		return Step{Phase: phase, Fix: true}
	}
	return Step{Phase: fleet.VerifyFailed}
}

// FixTask is the task that has verify.sh mended, the attempt being counted from 1. Output is the end of what it said.
func (p Plan) FixTask(attempt int, output string) tasks.Task {
	return tasks.Task{
		Subject:     fmt.Sprintf("Make verify.sh pass (attempt %d of %d)", attempt, p.Fixes),
		Description: "All tasks are merged, but verify.sh fails on the result. Find out why and mend it. verify.sh itself may not be changed. Its output:\n\n" + output,
		ActiveForm:  "Making verify.sh pass",
		Status:      tasks.Pending,
	}
}

// Closed says why no task is handed out in a phase, nil when tasks are.
func (Plan) Closed(phase fleet.Phase) error {
	if phase == fleet.Sailing || phase == fleet.Fitting {
		return nil
	}
	return fmt.Errorf("no task can be claimed: the voyage is %s", phase)
}

// Over says why ships have nothing more to do in a phase, "" when they may have.
func (Plan) Over(phase fleet.Phase) string {
	if phase.IsOver() {
		return "the voyage is " + string(phase)
	}
	return ""
}
