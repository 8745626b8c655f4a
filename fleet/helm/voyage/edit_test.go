package voyage

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/need"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// stillFleet is a voyage whose two ships only the test acts for: ship-0 has Claude Code, ship-1 Codex.
func stillFleet(t *testing.T) *Voyage {
	t.Helper()
	_, _, v, _ := stoppedVoyage(t)
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) {
		f.Ships = []*fleet.Ship{
			{Name: "ship-0", Phase: fleet.Afloat, Provider: "local", Agent: "claude", Role: fleet.Worker},
			{Name: "ship-1", Phase: fleet.Afloat, Provider: "local", Agent: "codex", Model: "gpt-5", Role: fleet.Worker},
		}
	})
	return v
}

func (v *Voyage) edits(t *testing.T, e tasks.Edit) api.Edited {
	t.Helper()
	out, err := v.Captain.Edit(t.Context(), api.EditRequest{Edit: e})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// An agent is told what the captain changed about the task that it works on, and only what matters to it.
func TestEditTellsItsAgent(t *testing.T) {
	t.Parallel()
	v := stillFleet(t)
	if _, err := v.Store.Claim(t.Context(), "ship-0", "1"); err != nil {
		t.Fatal(err)
	}
	urgent, check := 0, "make test"
	if out := v.edits(t, tasks.Edit{Task: "1", Priority: &urgent}); out.Worker != "" || out.Told {
		t.Errorf("of its priority: %+v", out)
	}
	v.edits(t, tasks.Edit{Task: "1", Description: "one\ntwo\nthree"})
	if out := v.edits(t, tasks.Edit{Task: "1", Description: "one\n2\nthree", Verify: &check, Reason: "two is spelled 2"}); out.Worker != "ship-0" || !out.Told {
		t.Errorf("of its words: %+v", out)
	}
	b, err := v.Post.Box("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	all := b.All()
	text := all[len(all)-1].Text
	for _, want := range []string{"task 1", "two is spelled 2", "Its check is: make test", "-two", "+2", " three"} {
		if len(all) != 2 || !strings.Contains(text, want) {
			t.Errorf("no %q in %d messages, the last\n%s", want, len(all), text)
		}
	}
	if h, err := v.Store.History(t.Context(), "1"); err != nil || h[len(h)-1].By != fleet.Captain || h[len(h)-1].Reason != "two is spelled 2" {
		t.Errorf("%+v, %v", h, err)
	}
}

// What cannot be is refused, and changes nothing.
func TestEditRefuses(t *testing.T) {
	t.Parallel()
	v := stillFleet(t)
	str := func(s string) *string { return &s }
	for why, e := range map[string]tasks.Edit{
		"no task 9":                                  {Task: "9", Subject: "x"},
		"it changes neither":                         {Task: "1"},
		"tasks wait for each other":                  {Task: "1", BlockedBy: []string{"2"}, Blocks: []string{"2"}},
		"no ship ship-7 can do it":                   {Task: "1", Ship: str("ship-7")},
		"has agent gemini; there are":                {Task: "1", Agent: str("gemini")},
		"to add one: ocaptain ship add --model opus": {Task: "1", Model: str("opus")},
		"blocked by \"9\", which does":               {Subject: "new", BlockedBy: []string{"9"}},
	} {
		seq := v.Store.Snapshot().Seq
		_, err := v.Captain.Edit(t.Context(), api.EditRequest{Edit: e})
		if err == nil || !strings.Contains(err.Error(), why) || !errors.Is(err, api.ErrRefused) && !errors.Is(err, api.ErrNotFound) {
			t.Errorf("%q: %v", why, err)
		}
		if v.Store.Snapshot().Seq != seq {
			t.Errorf("%q: something is changed", why)
		}
	}
}

// Ships that are added with another agent or model are such, keep it on a new machine, and get the tasks that are for such ships.
func TestAnotherAgent(t *testing.T) {
	t.Parallel()
	v := stillFleet(t)
	for why, r := range map[string]api.AddRequest{`agent "cobol" is not known`: {Ships: 1, Agent: "cobol"}, "agent script runs no model": {Ships: 1, Agent: "script", Model: "opus"}} {
		if err := v.Fit.Add(t.Context(), r, func(api.Progress) {}); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", why, err)
		}
	}
	if err := v.Fit.Plan("local", 1, "claude", "opus"); err != nil {
		t.Fatal(err)
	}
	added := reads(v, func() fleet.Ship { return *v.Roster.Now().Ships[2] })
	if added.Agent != "claude" || v.Info.ModelOf(&added) != "opus" {
		t.Fatalf("%+v", added)
	}
	opus := "opus"
	v.edits(t, tasks.Edit{Task: "1", Model: &opus})
	task := v.Store.Snapshot().Task("1")
	view := v.Look()
	if err := view.Allow(kind.ShipOf(&v.Info, &added), task); err != nil {
		t.Error(err)
	}
	if err := view.Allow(kind.Ship{Name: "ship-1", Agent: "codex", Model: "gpt-5"}, task); err == nil || !strings.Contains(err.Error(), "is for model opus") {
		t.Errorf("another model: %v", err)
	}
}

// A task that the captain chose a ship for is free again when that ship is removed.
func TestChosenShipIsRemoved(t *testing.T) {
	t.Parallel()
	v := stillFleet(t)
	ship, agent, model := "ship-1", "codex", "gpt-5"
	v.edits(t, tasks.Edit{Task: "1", Ship: &ship})
	v.edits(t, tasks.Edit{Task: "2", Agent: &agent, Model: &model})
	v.Captain.FreeChosen()
	if one, two := v.Store.Snapshot().Task("1"), v.Store.Snapshot().Task("2"); one.OnlyShip() != ship || two.OnlyAgent() != agent || two.OnlyModel() != model {
		t.Fatalf("%+v, %+v", one, two)
	}
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Ships[1].Phase = fleet.Going })
	v.Captain.FreeChosen()
	if one, two := v.Store.Snapshot().Task("1"), v.Store.Snapshot().Task("2"); one.OnlyShip() != "" || two.OnlyAgent() != "" || two.OnlyModel() != "" {
		t.Errorf("%+v, %+v", one, two)
	}
}

// A voyage goes on in the order that the captain sets, on the ship that he chooses, and does what he adds; what he holds waits, and is
// no need of his.
func TestEditsWhileItSails(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	wait := "until [ -e ~/go ]; do sleep .1; done; "
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n",
		helmtest.Task("1", wait+"echo 1 >one"), helmtest.Task("2", wait+"echo 2 >two"), helmtest.Task("3", "echo 3 >three"), after(helmtest.Task("4", "cat three && echo 4 >four"), "2"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	sinkAfter(t, h, d)
	if err := v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "1 and 2 are worked on", func() bool { return v.state("1").Owner != "" && v.state("2").Owner != "" })
	two := v.state("2").Owner
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "3", Hold: true, Reason: "not yet"}); err != nil {
		t.Fatal(err)
	}
	run := "cat four && echo 5 >five"
	added := v.edits(t, tasks.Edit{Subject: "Five", Run: &run, BlockedBy: []string{"4"}})
	v.edits(t, tasks.Edit{Task: "4", BlockedBy: []string{"3"}, UnblockedBy: []string{"2"}, Ship: &two})
	for _, s := range []string{"ship-0", "ship-1"} {
		if err := os.WriteFile(homeOf(t, v, s)+"/go", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	eventually.Holds(t, "1 and 2 are done", func() bool { return v.state("1").Commit != "" && v.state("2").Commit != "" })
	if s := v.state("3"); !s.OnHold || s.HeldBy != fleet.Captain {
		t.Errorf("3 is %+v", s)
	}
	board := v.Board()
	for _, n := range need.All(time.Now().Add(time.Hour), &board, need.Away{}) {
		if n.Kind == fleet.NeedHold {
			t.Errorf("the captain's own hold is a need: %+v", n)
		}
	}
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "3"}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "all is verified", v.is(fleet.Complete))
	if v.state("4").Owner != two || v.state(added.Task).Commit == "" {
		t.Errorf("4 was done by %s, want %s; %+v", v.state("4").Owner, two, v.state(added.Task))
	}
}

// What was handed in is put aside, and the task begins again at the branch, for the agent that the captain chooses.
func TestRequeueFresh(t *testing.T) {
	t.Parallel()
	v := stillFleet(t)
	g, err := v.Store.Claim(t.Context(), "ship-0", "1")
	if err != nil {
		t.Fatal(err)
	}
	head := git(t, v.Dir, "rev-parse", "HEAD")
	tree := git(t, v.Dir, "rev-parse", "HEAD^{tree}")
	work := git(t, v.Dir, "-c", "user.name=x", "-c", "user.email=x@x", "commit-tree", "-p", head, "-m", "work", tree)
	if err := v.Store.HandIn(t.Context(), tasks.Completion{Task: "1", Owner: "ship-0", Epoch: g.Epoch, Commit: work}, "done"); err != nil {
		t.Fatal(err)
	}
	was, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "1", Fresh: true, Agent: "codex", Reason: "wrong approach"})
	if err != nil || was.Kept == "" || git(t, v.Dir, "rev-parse", was.Kept) != work {
		t.Fatalf("%+v, %v", was, err)
	}
	if s := v.state("1"); s.HandIn != nil || s.Draft != "" || s.ReservedFor != "" || s.OnlyAgent() != "codex" || !strings.Contains(s.Reason, "wrong approach") {
		t.Errorf("%+v", s)
	}
}
