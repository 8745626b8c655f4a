//go:build long

package voyage

import (
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/need"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestAskPlan has the captain asked about each plan: a planner hears why he rejected a plan and makes another, and workers begin
// with the file as it is when he approves.
func TestAskPlan(t *testing.T) {
	t.Parallel()
	h := startHelm(t, helmtest.Hub(t))
	command := planned(`{"tasks": [{"id": "A", "title": "a", "run": "echo a >a"}, {"title": "b", "run": "echo b >b", "depends_on": ["A"]}]}`)
	epic, err := tasks.NewEpic(command, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	epic.ID = "1"
	d := helmtest.Voyage(t, h.Hub, fleet.Voyage{Kind: fleet.Session, AskPlan: true}, "#!/bin/sh\n", epic)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	v.sets(t, 2)
	asks := func() bool {
		b := v.Board()
		all := need.All(time.Now(), &b, need.Away{})
		return len(all) == 1 && all[0].Kind == fleet.NeedPlan && all[0].Why == "it is to consist of 2 tasks"
	}
	eventually.Holds(t, "the captain is asked", asks)
	decide := func(yes bool, why string) error {
		return v.Captain.Decide(t.Context(), api.DecideRequest{Task: "1", Approve: yes, Reason: why})
	}
	if text := logsOf(t, v, "planner-0"); strings.Contains(text, "failed") {
		t.Errorf("the planner says\n%s", text)
	}
	if len(v.Store.Snapshot().Tasks) > 2 { // including the hidden task
		t.Error("the tasks are there already")
	}
	if err := decide(false, "smaller, please"); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is planned anew", func() bool { return v.state("1").Attempts > 1 && asks() })
	eventually.Holds(t, "the planner was told why", func() bool {
		return strings.Contains(logsOf(t, v, "planner-0"), "the captain rejected the plan: smaller, please")
	})
	file := v.Dir.Plan("1")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Replace(string(raw), `"A"`, `"B"`, 1))
	if err := decide(true, ""); err == nil || !strings.Contains(err.Error(), `plan-1.json: tasks[1].depends_on: there is no task "A"`) {
		t.Errorf("a broken file: %v", err)
	}
	write(strings.Replace(string(raw), "echo b >b", "echo bee >b", 1))
	if err := decide(true, ""); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	if b := git(t, v.Dir, "show", v.Info.Branch+":b"); b != "bee" {
		t.Errorf("b is %q", b)
	}
	if err := decide(true, ""); err == nil {
		t.Error("what is done is approved")
	}
}

// TestCaptainReviews has the captain decide in the place of the validator, whether that is at it or not.
func TestCaptainReviews(t *testing.T) {
	t.Parallel()
	v := newReviewed(t, startHelm(t, helmtest.Hub(t)), "exit 0", 2, reviewed("1", "echo x >>x", gate), reviewed("2", "echo y >>y", gate))
	eventually.Holds(t, "both are in review, one with the validator", func() bool {
		one, two := v.state("1"), v.state("2")
		return one.InReview() && two.InReview() && one.Owner+two.Owner == "validator-0"
	})
	decide := func(id string, yes bool) error {
		return v.Captain.Decide(t.Context(), api.DecideRequest{Task: id, Work: v.state(id).HandIn.Commit, Approve: yes, Reason: "my word"})
	}
	if err := v.Captain.Decide(t.Context(), api.DecideRequest{Task: "1", Work: "other", Approve: true}); err == nil || !strings.Contains(err.Error(), "look again") {
		t.Errorf("other work: %v", err)
	}
	for _, id := range []string{"1", "2"} {
		if err := decide(id, true); err != nil {
			t.Fatal(err)
		}
	}
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	for _, id := range []string{"1", "2"} {
		if r := v.state(id).HandIn.Review; r.By != "captain" || r.Reasoning != "my word" {
			t.Errorf("%+v", r)
		}
	}
}
