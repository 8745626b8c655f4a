package plan

import (
	"fmt"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
)

// Next decides what follows from the tasks. r is the result of verify.sh if that has just ended, else nil. A result is
// ignored if tasks were added or merged meanwhile.
func (p Plan) Next(phase fleet.Phase, all tasks.Snapshot, r *kind.Result) kind.Step {
	done := p.IsDone(all)
	verified := phase == fleet.Verifying || phase == fleet.Complete || phase == fleet.VerifyFailed
	switch {
	case phase == fleet.Sailing && done:
		return kind.Step{Phase: fleet.Verifying}
	case verified && !done && len(all.Tasks) > 0:
		return kind.Step{Phase: fleet.Sailing}
	case r == nil || !done || r.Commit != r.Head:
		return kind.Step{Phase: phase}
	case r.Asked && phase == fleet.VerifyFailed && r.Passed:
		return kind.Step{Phase: fleet.Complete}
	case r.Asked || phase != fleet.Verifying:
		return kind.Step{Phase: phase}
	case r.Passed:
		return kind.Step{Phase: fleet.Complete}
	case r.Fixes < p.Fixes:
		return kind.Step{Phase: phase, Fix: p.fixTask(r.Fixes+1, r.Output)}
	}
	return kind.Step{Phase: fleet.VerifyFailed}
}

// maxOutput is how many bytes of the end of verify.sh's output are put into a task.
const maxOutput = 8000

// fixTask returns the task to fix what verify.sh complains about. attempt counts from 1.
func (p Plan) fixTask(attempt int, output string) *tasks.Task {
	if cut := len(output) - maxOutput; cut > 0 {
		_, output, _ = strings.Cut(output[cut:], "\n") // begin with a whole line
		output = "…\n" + output
	}
	return &tasks.Task{
		Subject:     fmt.Sprintf("Make verify.sh pass (attempt %d of %d)", attempt, p.Fixes),
		Description: "All tasks are merged, but verify.sh fails on the result. Find out why and mend it. verify.sh itself may not be changed. Its output:\n\n" + output,
		ActiveForm:  "Making verify.sh pass",
		Status:      tasks.Pending,
	}
}

// Closed says why no task is handed out in a phase, nil when tasks are.
func (Plan) Closed(phase fleet.Phase) error { return kind.IsClosed(phase) }

// Over says why ships have nothing more to do in a phase, "" when they may have.
func (Plan) Over(phase fleet.Phase) string {
	if phase.IsOver() {
		return "the voyage is " + string(phase)
	}
	return ""
}
