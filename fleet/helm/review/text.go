package review

import (
	"fmt"
	"strings"

	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
)

// Gone is a refusal that tells a validator what to do now that its claim is over.
type Gone struct {
	text string
	no   *tasks.Refusal
}

func (g *Gone) Error() string { return g.text }
func (g *Gone) Unwrap() error { return g.no }

// WentBack tells a validator that the work has gone back to its ship before the review.
func WentBack(t *tasks.State) *Gone {
	return &Gone{told.WentBack(t.HandIn.Owner), &tasks.Refusal{Why: tasks.Stale, Task: t.ID}}
}

// Over tells a validator that its review of a task is over, and why.
func Over(task, why string) *Gone {
	return &Gone{told.ReviewOver(task, why), &tasks.Refusal{Why: tasks.Stale, Task: task}}
}

// Notes returns what a validator needs to know for a review besides the task and the tree. parent is the task of
// which t is a part, or nil. steers names the files of the work that steer agents, "" for none.
func Notes(t, parent *tasks.State, steers string, unchecked bool) []string {
	h := t.HandIn
	notes := []string{fmt.Sprintf("task %s: you review what %s has handed in. Your tree is the branch with that work: git show HEAD", t.ID, h.Owner)}
	add := func(what, text string) {
		if text = strings.TrimSpace(text); text != "" {
			notes = append(notes, what+": "+clean.Bound(text, clean.MaxText))
		}
	}
	if h.Empty {
		add("it changes nothing", "no file differs from what "+h.Owner+" began with")
	}
	add("what "+h.Owner+" says of it", h.Summary)
	add("it is accepted when this holds", t.Acceptance())
	switch {
	case parent == nil:
	case parent.Type() == tasks.Epic:
		add("what the captain asked for", parent.Description)
	default: // the request of the captain includes more than this task
		add("it is a part of task "+parent.ID, parent.Subject)
		add("what was asked for", t.Description)
	}
	add("it changes files that steer agents", steers)
	if t.Rejections > 0 {
		add("why it was sent back before", t.Reason)
	}
	passed := "verify.sh passes on it"
	switch {
	case unchecked:
		passed = "nothing was run on it: the captain gave no command that checks work"
	case !h.Passed:
		passed = "verify.sh fails on it, and on the branch without it as well"
	}
	return append(notes, passed+". Answer with: ocaptain task review approve|reject --why \"…\", or hand in JSON: ocaptain task review FILE. You change nothing: what you edit is not merged")
}

// Reasons returns the text for an agent whose work was rejected.
func Reasons(r tasks.Review) string {
	text := r.By + ": " + r.Reasoning
	for _, s := range r.Suggestions {
		text += "\n- " + s
	}
	return text
}
