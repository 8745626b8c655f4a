package edits

import (
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
)

func ptr(s string) *string { return &s }

// An agent hears what is different about its task, and only what matters to it.
func TestDifference(t *testing.T) {
	state := func(subject, description, verify, run string) *tasks.State {
		s := &tasks.State{Task: tasks.Task{ID: "1", Subject: subject, Description: description, Metadata: map[string]any{}}}
		if verify != "" {
			s.Metadata["verify"] = verify
		}
		if run != "" {
			s.Metadata["run"] = run
		}
		return s
	}
	was := state("a", "one\ntwo", "make", "go")
	for name, c := range map[string]struct {
		is   *tasks.State
		want []string
	}{
		"nothing":        {was, nil},
		"its name":       {state("b", "one\ntwo", "make", "go"), []string{"It is called: b"}},
		"no check":       {state("a", "one\ntwo", "", "go"), []string{"It has no check any more."}},
		"another check":  {state("a", "one\ntwo", "make all", "go"), []string{"Its check is: make all"}},
		"its command":    {state("a", "one\ntwo", "make", "run"), []string{"Its command is: run"}},
		"no command":     {state("a", "one\ntwo", "make", ""), nil},
		"a line":         {state("a", "one\n2", "make", "go"), []string{"Its description:", "-two", "+2", " one"}},
		"another whole":  {state("a", strings.Repeat("long\n", clean.MaxText), "make", "go"), []string{"Its description:\nlong"}},
		"several things": {state("b", "one\ntwo", "make all", "go"), []string{"called: b", "check is: make all"}},
	} {
		got := Difference(was, c.is)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in %q", name, want, got)
			}
		}
		if (got == "") != (len(c.want) == 0) || len(got) > clean.MaxText+100 {
			t.Errorf("%s: %d bytes, %.100q", name, len(got), got)
		}
	}
}

// crew is two workers and a ship that goes.
var crew = Ships{Voyage: &fleet.Voyage{ID: "kite"}, All: []fleet.Ship{
	{Name: "ship-0", Agent: "claude", Role: fleet.Worker, Phase: fleet.Afloat},
	{Name: "ship-1", Agent: "codex", Model: "gpt-5", Role: fleet.Worker, Phase: fleet.Planned},
	{Name: "ship-2", Agent: "gemini", Model: "pro", Role: fleet.Worker, Phase: fleet.Going},
	{Name: "planner-0", Agent: "claude", Model: "opus", Role: fleet.Planner},
}}

func TestMayChoose(t *testing.T) {
	for name, c := range map[string]struct {
		e    tasks.Edit
		role string
		want string // part of the refusal, "" for none
	}{
		"nothing":          {tasks.Edit{}, fleet.Worker, ""},
		"anything":         {tasks.Edit{Ship: ptr(""), Agent: ptr(""), Model: ptr("")}, fleet.Worker, ""},
		"a ship":           {tasks.Edit{Ship: ptr("ship-1")}, fleet.Worker, ""},
		"a ship that goes": {tasks.Edit{Ship: ptr("ship-2")}, fleet.Worker, "no ship ship-2 can do it; there are: ship-0, ship-1"},
		"of another role":  {tasks.Edit{Ship: ptr("planner-0")}, fleet.Worker, "no ship planner-0"},
		"of any role":      {tasks.Edit{Ship: ptr("planner-0")}, "", ""},
		"an agent":         {tasks.Edit{Agent: ptr("codex")}, fleet.Worker, ""},
		"no such agent":    {tasks.Edit{Agent: ptr("gemini")}, fleet.Worker, "has agent gemini; there are: claude, codex; to add one: ocaptain ship add --agent gemini --voyage kite"},
		"a model":          {tasks.Edit{Model: ptr("gpt-5")}, fleet.Worker, ""},
		"another's model":  {tasks.Edit{Model: ptr("opus")}, fleet.Worker, "there are: gpt-5; to add one: ocaptain ship add --model opus --voyage kite"},
	} {
		err := crew.MayChoose(c.e, c.role)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A task that was for some ships alone is for any ship once those ships are gone.
func TestFree(t *testing.T) {
	for name, c := range map[string]struct {
		e       tasks.Edit
		ship    bool // the ship, the agent and the model that it frees the task from
		agent   bool
		model   bool
		nothing bool
	}{
		"nothing was chosen": {e: tasks.Edit{}, nothing: true},
		"all are there":      {e: tasks.Edit{Ship: ptr("ship-1"), Agent: ptr("codex"), Model: ptr("gpt-5")}, nothing: true},
		"the ship goes":      {e: tasks.Edit{Ship: ptr("ship-2"), Agent: ptr("codex")}, ship: true},
		"no such agent":      {e: tasks.Edit{Agent: ptr("gemini"), Model: ptr("pro")}, agent: true, model: true},
	} {
		s := &tasks.State{Task: tasks.Task{ID: "1", Metadata: map[string]any{}}}
		for key, value := range map[string]*string{"only_ship": c.e.Ship, "only_agent": c.e.Agent, "only_model": c.e.Model} {
			if value != nil {
				s.Metadata[key] = *value
			}
		}
		e, chosen := crew.Free(s)
		if chosen == c.nothing || (e.Ship != nil) != c.ship || (e.Agent != nil) != c.agent || (e.Model != nil) != c.model {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

func TestMaySplit(t *testing.T) {
	state := func(change func(*tasks.State)) *tasks.State {
		s := &tasks.State{Task: tasks.Task{ID: "1", Status: tasks.Pending, Metadata: map[string]any{}}}
		change(s)
		return s
	}
	plan, pool := &fleet.Voyage{ID: "kite"}, &fleet.Voyage{ID: "kite", Kind: fleet.Pool}
	for want, c := range map[string]struct {
		v     *fleet.Voyage
		t     *tasks.State
		whole bool
	}{
		"":                        {plan, state(func(*tasks.State) {}), false},
		"no task 1":               {plan, nil, false},
		"dispatch its parts":      {pool, state(func(*tasks.State) {}), false},
		"completed already":       {plan, state(func(s *tasks.State) { s.Status = tasks.Completed }), false},
		"approve or reject it":    {plan, state(func(s *tasks.State) { s.HandIn = &tasks.HandIn{} }), false},
		"ocaptain diff 1 --voy":   {plan, state(func(s *tasks.State) { s.Proposed = 2 }), false},
		"consists of others":      {plan, state(func(*tasks.State) {}), true},
		"the others of its group": {plan, state(func(s *tasks.State) { s.Metadata["group"] = "g" }), false},
	} {
		err := MaySplit(c.v, c.t, "1", c.whole)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// What is reverted with a task, the newest first, and what stays.
func TestReverted(t *testing.T) {
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	state := func(id string, hours int, blocks ...string) *tasks.State {
		return &tasks.State{Task: tasks.Task{ID: id, Status: tasks.Completed, Blocks: blocks}, CompletedAt: noon.Add(time.Duration(hours) * time.Hour)}
	}
	open, cancelled := state("open", 0), state("cancelled", 0)
	open.Status, cancelled.Cancelled = tasks.Pending, true
	snap := tasks.NewSnapshot(1, []*tasks.State{state("1", 1, "2", "3", "open", "cancelled", "whole"), state("2", 3, "3"), state("3", 2), open, cancelled, state("whole", 9)}, nil)
	for name, c := range map[string]struct {
		id         string
		dependents bool
		all, stay  string
		no         string // part of the refusal
	}{
		"alone":        {id: "1", all: "1", stay: "2 3"},
		"with others":  {id: "1", dependents: true, all: "2 3 1"},
		"the last":     {id: "3", all: "3"},
		"none":         {id: "9", no: "no task 9"},
		"not done":     {id: "open", no: "only what is completed"},
		"cancelled":    {id: "cancelled", no: "only what is completed"},
		"consists of ": {id: "whole", no: "revert one of those"},
	} {
		all, stay, err := Reverted(snap, c.id, c.dependents, []string{"whole"})
		var ids []string
		for _, t := range all {
			ids = append(ids, t.ID)
		}
		if strings.Join(ids, " ") != c.all || strings.Join(stay, " ") != c.stay || (err == nil) != (c.no == "") || err != nil && !strings.Contains(err.Error(), c.no) {
			t.Errorf("%s: %q, and %q stay, %v", name, ids, stay, err)
		}
	}
}

func TestByHand(t *testing.T) {
	e := ByHand(&tasks.State{Task: tasks.Task{ID: "1"}, Commit: "c0ffee"}, api.Lookback{
		Subject: "Sort", Since: []api.ChangedSince{{Task: "2", Commit: "badcafe", Lines: []string{"list"}}, {Task: "3", Commit: "d00d1e"}},
	}, []string{"list\x1b[2J"}, "reverted by the captain: too slow")
	for _, want := range []string{"commit c0ffee of task 1 (Sort)", "too slow", "since, in list", "list (task 2, badcafe)"} {
		if !strings.Contains(e.Description, want) {
			t.Errorf("no %q in %q", want, e.Description)
		}
	}
	if e.Subject != "Take back task 1: Sort" || strings.Contains(e.Description, "\x1b") || strings.Contains(e.Description, "d00d1e") {
		t.Errorf("%+v", e)
	}
}

func TestDecided(t *testing.T) {
	yes := api.ProposalRequest{Accept: true, Reason: "good"}
	for want, c := range map[string]struct {
		p fleet.Proposal
		r api.ProposalRequest
	}{
		"The captain rejected what you proposed (add a test): no.":  {fleet.Proposal{Text: "add\na  test"}, api.ProposalRequest{Reason: "no"}},
		"The captain cancelled task 1, as you proposed: good.":      {fleet.Proposal{Cancel: true}, yes},
		"The captain added task 1, as you proposed: Test it: good.": {fleet.Proposal{Edit: &tasks.Edit{Subject: "Test it"}}, yes},
		"The captain changed task 1, as you proposed: good.":        {fleet.Proposal{Edit: &tasks.Edit{Task: "1"}}, yes},
	} {
		if got := Decided(&c.p, c.r, "1"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A dispatch that no worker has begun gets another command, priority and worker, and nothing else.
func TestOfDispatch(t *testing.T) {
	t.Parallel()
	state := func(change func(*tasks.State)) *tasks.State {
		s := &tasks.State{Task: tasks.Dispatch{Command: "fix it", Key: "k", Base: "c"}.Task()}
		if s.ID = "1"; change != nil {
			change(s)
		}
		return s
	}
	ship, check := "kite-1", "make"
	e, err := OfDispatch(state(nil), tasks.Edit{Task: "1", Description: "mend it\nnow", Ship: &ship})
	if err != nil || e.Run == nil || *e.Run != "mend it\nnow" || e.Subject != "mend it…" || e.Worker == nil || *e.Worker != ship || e.Ship != nil {
		t.Errorf("%+v, %v", e, err)
	}
	for why, tt := range map[string]struct {
		t *tasks.State
		e tasks.Edit
	}{
		"has begun":         {state(func(s *tasks.State) { s.Status = tasks.InProgress }), tasks.Edit{Task: "1", Description: "x"}},
		"wait for no other": {state(nil), tasks.Edit{Task: "1", BlockedBy: []string{"2"}}},
		"you can change":    {state(nil), tasks.Edit{Task: "1", Verify: &check}},
		"control character": {state(nil), tasks.Edit{Task: "1", Description: "\x1b[2J"}},
	} {
		if _, err := OfDispatch(tt.t, tt.e); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}
