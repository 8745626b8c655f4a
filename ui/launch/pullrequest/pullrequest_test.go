package pullrequest

import (
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/tasks"
)

// TestOfSession checks what was asked for, what was done, how it was verified and what it cost, with hostile
// text from ships.
func TestOfSession(t *testing.T) {
	epic, err := tasks.NewEpic("Add login\n\nwith sessions", nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	more, _ := tasks.NewEpic("And a page", nil, 2)
	b := &fleet.Board{
		Voyage: fleet.Voyage{Branch: "feat/login"}, Verify: fleet.Verify{Passed: true, Commit: "0123456789abcdef"},
		Usage: fleet.Usage{Tokens: agentlog.Tokens{Input: 2000}, CostUSD: 1.5},
		Tasks: []tasks.State{
			{Task: epic},
			{Task: more},
			{Task: tasks.Task{ID: "1-1", Subject: "Model" + cleantest.Hostile, Owner: "worker-0", Status: tasks.Completed}, Commit: "fedcba9876543210", HandIn: &tasks.HandIn{Review: &tasks.Review{
				By: "validator-0", Reasoning: "it is right" + cleantest.Hostile,
				Discoveries: []tasks.Discovery{{Type: "gotcha", Content: "hashes are slow" + cleantest.Hostile, Files: []string{"a.go", cleantest.Hostile}}},
			}}},
			{Task: tasks.Task{ID: "1-3", Subject: "not wanted", Status: tasks.Completed}, Cancelled: true},
			{Task: tasks.Task{ID: "1-4", Subject: "too large", Owner: fleet.Coordinator, Status: tasks.Completed}},
			{Task: tasks.Task{ID: "1-2", Subject: "not done"}},
		},
	}
	r := OfSession(b, "#!/bin/sh\ngo test ./...\n")
	cleantest.Check(t, "text", r.Text, cleantest.Texts)
	if r.Branch != "feat/login" || r.Title != "Add login… (and 1 more)" {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{
		"## What was asked for\n\nAdd login\n\nwith sessions\n\nAnd a page\n\n", "- Model", "(fedcba987654, worker-0). Approved by validator-0: it is right", "## What was found\n\n- gotcha: hashes are slow",

		"passed in a clean checkout of 0123456789ab:\n\n    go test ./...\n", "Tokens: 2.0k in, 0 out. $1.50",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("%q lacks %q", r.Text, want)
		}
	}
	for _, not := range []string{"not done", "not wanted", "too large"} {
		if strings.Contains(r.Text, not) {
			t.Errorf("it tells of what is %s", not)
		}
	}
	b.Voyage.Unchecked = true
	if text := OfSession(b, "#!/bin/sh\nexit 0\n").Text; strings.Contains(text, "exit 0") || !strings.Contains(text, "No command was given") {
		t.Errorf("without a command it says\n%s", text)
	}
	if b.Verify.Passed = false; !strings.Contains(OfSession(b, "").Text, "not verified") {
		t.Error("it does not say that nothing verified it")
	}
}
