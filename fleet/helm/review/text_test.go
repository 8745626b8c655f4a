package review

import (
	"slices"
	"strings"
	"testing"

	"ocaptain/tasks"
)

// A validator reads what the work is for, what its worker says of it, and how to answer. A text from outside that is empty is left out.
func TestNotes(t *testing.T) {
	is := func(edit func(*tasks.State)) *tasks.State {
		t := handIn("1-1", "", 0)
		t.Description, t.HandIn.Summary, t.HandIn.Passed = "a till that adds up", "it adds up", true
		edit(t)
		return t
	}
	epic := &tasks.State{Task: tasks.Task{ID: "1", Description: "sell kites", Metadata: map[string]any{"type": tasks.Epic}}}
	part := &tasks.State{Task: tasks.Task{ID: "1", Subject: "The shop"}}
	const says, answer = "what worker-0 says of it: it adds up", "verify.sh passes on it"
	for name, c := range map[string]struct {
		t, parent *tasks.State
		steers    string
		unchecked bool
		want      []string // the notes between the first and the last, and what the last begins with
	}{
		"a task of a plan":    {is(func(*tasks.State) {}), nil, "", false, []string{says, answer}},
		"a part of an epic":   {is(func(*tasks.State) {}), epic, "", false, []string{says, "what the captain asked for: sell kites", answer}},
		"a part of a part":    {is(func(*tasks.State) {}), part, "", false, []string{says, "it is a part of task 1: The shop", "what was asked for: a till that adds up", answer}},
		"it steers agents":    {is(func(*tasks.State) {}), nil, "CLAUDE.md", false, []string{says, "it changes files that steer agents: CLAUDE.md", answer}},
		"sent back before":    {is(func(t *tasks.State) { t.Rejections, t.Reason = 1, "bad" }), nil, "", false, []string{says, "why it was sent back before: bad", answer}},
		"nothing to be run":   {is(func(*tasks.State) {}), nil, "", true, []string{says, "nothing was run on it"}},
		"the branch is bad":   {is(func(t *tasks.State) { t.HandIn.Passed = false }), nil, "", false, []string{says, "verify.sh fails on it, and on the branch without it as well"}},
		"nothing was changed": {is(func(t *tasks.State) { t.HandIn.Empty, t.HandIn.Summary = true, " " }), nil, "", false, []string{"it changes nothing: no file differs from what worker-0 began with", answer}},
	} {
		got := Notes(c.t, c.parent, c.steers, c.unchecked)
		last := len(got) - 1
		if !strings.HasPrefix(got[0], "task 1-1: you review what worker-0 has handed in") || !slices.Equal(got[1:last], c.want[:len(c.want)-1]) ||
			!strings.HasPrefix(got[last], c.want[len(c.want)-1]+". Answer with: ocaptain task review approve|reject") && !strings.HasPrefix(got[last], c.want[len(c.want)-1]+":") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
