package voyage

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	gosync "sync"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/saved"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// wish has a ship propose something, and returns it as the captain sees it.
func (v *Voyage) wish(t *testing.T, name, task string, input map[string]any) *fleet.Proposal {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(proto.Proposal{Task: task, Text: fmt.Sprintf("wish %v", input["subject"]), Input: raw})
	if err != nil {
		t.Fatal(err)
	}
	s := &Ship{v: v, Ship: &ship.Ship{Name: name}}
	s.Noted = ship.NewRation()
	s.takeProposal(fleet.LogLine{Ship: name, Kind: proto.KindProposal, Data: data})
	list := v.Board().Proposals
	return &list[len(list)-1]
}

// yes accepts a proposal as it is seen.
func (v *Voyage) yes(t *testing.T, p *fleet.Proposal) (api.ProposalDecided, error) {
	b := v.Board()
	r := api.ProposalRequest{Proposal: p.ID, Accept: true, Saw: p}
	if p.Cancel {
		r.Tasks, _ = b.CancelledWith(p.Task)
	}
	return v.Captain.DecideProposal(t.Context(), r)
}

// TestAcceptProposals accepts what agents propose: a task is added once, however often it is accepted, as it was shown.
func TestAcceptProposals(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	waits := helmtest.Task("3", "true")
	waits.BlockedBy = []string{"2"}
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "true"), helmtest.Task("2", "true"), waits)
	h := startHelm(t, hub)
	v := openStill(t, h, d) // its jobs would end the phases that are set below

	add := v.wish(t, "ship-0", "", map[string]any{"subject": "Test " + cleantest.Hostile, "description": "a\r\n\x1b[2J" + cleantest.Hostile, "addBlockedBy": []string{"1"}, "metadata": map[string]any{"run": "rm -rf /", "verify": "x"}})
	b := v.Board()
	shown := strings.Join(b.Describe(add), "\n")
	other := *add
	other.Edit = &tasks.Edit{Subject: "another"}
	if _, err := v.yes(t, &other); !errors.Is(err, api.ErrRefused) {
		t.Errorf("what was not shown is accepted: %v", err)
	}
	var both gosync.WaitGroup
	ids := make(chan string, 8)
	for range cap(ids) {
		both.Go(func() {
			if done, err := v.yes(t, add); err == nil {
				ids <- done.Task
			} else if !errors.Is(err, api.ErrNotFound) {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if len(ids) != 1 || <-ids != "4" || len(v.Store.Snapshot().Tasks) != 4 {
		t.Fatalf("%d were accepted; there are %d tasks", len(ids), len(v.Store.Snapshot().Tasks))
	}
	got := v.Store.Snapshot().Task("4")
	for line := range strings.SplitSeq(got.Subject+"\n"+got.Description, "\n") {
		if !strings.Contains(shown, strings.ReplaceAll(line, "\t", " ")) {
			t.Errorf("%q is in the task and was not shown:\n%s", line, shown)
		}
	}
	if got.Run()+got.Verify() != "" || got.Metadata[tasks.ProposedBy] != "ship-0" || fmt.Sprint(got.BlockedBy) != "[1]" || got.Status != tasks.Pending {
		t.Errorf("it is %+v", got)
	}

	edit := v.wish(t, "ship-1", "3", map[string]any{"taskId": "3", "subject": "Other words", "addBlockedBy": []string{"4"}})
	if done, err := v.yes(t, edit); err != nil || done.Task != "3" {
		t.Fatal(done, err)
	}
	if got := v.Store.Snapshot().Task("3"); got.Subject != "Other words" || fmt.Sprint(got.BlockedBy) != "[2 4]" {
		t.Errorf("it is %+v", got)
	}
	for why, p := range map[string]*fleet.Proposal{
		"which does not exist": v.wish(t, "ship-0", "", map[string]any{"subject": "x", "addBlockedBy": []string{"99"}}),
		"wait for each other":  v.wish(t, "ship-0", "4", map[string]any{"addBlockedBy": []string{"3"}}),
		"there is no task 77":  v.wish(t, "ship-0", "77", map[string]any{"subject": "y"}),
		"needs a subject":      v.wish(t, "ship-0", "", map[string]any{"description": "x"}),
		"changes neither":      v.wish(t, "ship-0", "4", map[string]any{"metadata": map[string]any{"verify": "x"}}),
		"longer than":          v.wish(t, "ship-0", "", map[string]any{"subject": "x", "description": strings.Repeat("x", tasks.MaxEdit)}),
		"not what you saw":     {ID: add.ID + 2},
	} {
		if _, err := v.yes(t, p); !errors.Is(err, api.ErrRefused) || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: got %v", why, err)
		}
	}
	if n := len(v.Store.Snapshot().Tasks); n != 4 {
		t.Errorf("there are %d tasks", n)
	}

	gone := v.wish(t, "ship-0", "2", map[string]any{"taskId": "2", "status": "deleted"})
	if _, err := v.Captain.DecideProposal(t.Context(), api.ProposalRequest{Proposal: gone.ID, Accept: true, Saw: gone, Tasks: []string{"2"}}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("task 3, which waits for it, is cancelled unseen: %v", err)
	}
	if _, err := v.yes(t, gone); err != nil {
		t.Fatal(err)
	}
	if is := v.Store.Snapshot(); !is.Task("2").Cancelled || !is.Task("3").Cancelled || is.Task("4").Cancelled {
		t.Error("other tasks than 2 and 3 are cancelled")
	}
	late := v.wish(t, "ship-0", "2", map[string]any{"subject": "too late"})
	if _, err := v.yes(t, late); !errors.Is(err, api.ErrRefused) {
		t.Errorf("a task that is done is changed: %v", err)
	}
	for _, phase := range []fleet.Phase{fleet.Complete, fleet.Sinking, fleet.Sunk} {
		p := v.wish(t, "ship-0", "", map[string]any{"subject": string(phase)})
		was := v.Roster.Now().Phase
		v.Roster.Alter(func(f *fleet.Fleet) { f.Phase = phase })
		if _, err := v.yes(t, p); !errors.Is(err, api.ErrRefused) || !strings.Contains(err.Error(), "the voyage is "+string(phase)) {
			t.Errorf("%s: %v", phase, err)
		}
		v.Roster.Alter(func(f *fleet.Fleet) { f.Phase = was })
	}
}

// TestAcceptedOverRestart ends helm between an accepted task and its proposal's end: neither is doubled or lost.
func TestAcceptedOverRestart(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "true"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	first := v.wish(t, "ship-0", "", map[string]any{"subject": "first"})
	v.wish(t, "ship-0", "", map[string]any{"subject": "first", "description": "with more to it"})
	added := first.Edit.NewTask(map[string]any{tasks.ProposalNumber: float64(first.ID)}, nil)
	if _, err := v.Store.Add(t.Context(), []tasks.Task{added}); err != nil {
		t.Fatal(err)
	}
	h.Close()
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	left := v.Board().Proposals
	if len(left) != 1 || left[0].ID != 2 || left[0].Edit.Description != "with more to it" {
		t.Fatalf("there are %+v", left)
	}
	if done, err := v.yes(t, &left[0]); err != nil || done.Task != "3" {
		t.Error(done, err)
	}
	if n := len(v.Store.Snapshot().Tasks); n != 3 {
		t.Errorf("there are %d tasks", n)
	}
}

// TestProposalsOfACutJournal cuts the end off the journal. What the captain was shown is there again, with its number.
func TestProposalsOfACutJournal(t *testing.T) {
	t.Parallel()
	h, d, v, _ := stoppedVoyage(t)
	v.Book.Flush()
	at := v.journal.Size()
	for _, text := range []string{"a", "b"} {
		v.propose(fleet.Proposal{Ship: "ship-0", Text: text})
	}
	if _, err := v.Captain.DecideProposal(t.Context(), api.ProposalRequest{Proposal: 1}); err != nil {
		t.Fatal(err)
	}
	if err := v.keeper.SaveBoard(); err != nil {
		t.Fatal(err)
	}
	h.forget(v)
	if err := os.Truncate(d.Events(), at); err != nil {
		t.Fatal(err)
	}
	v = openStill(t, h, d)
	v.propose(fleet.Proposal{Ship: "ship-0", Text: "c"})
	if list := v.Board().Proposals; len(list) != 2 || list[0].ID != 2 || list[0].Text != "b" || list[1].ID != 3 {
		t.Errorf("the board has %+v", list)
	}
}

// TestProposalIsShownOnce ends helm after a ship's record was taken over and before the captain was shown what it proposes.
func TestProposalIsShownOnce(t *testing.T) {
	t.Parallel()
	_, d, v, _ := stoppedVoyage(t)
	data, err := json.Marshal(proto.Proposal{Text: "wish", Input: json.RawMessage(`{"subject": "another"}`)})
	if err != nil {
		t.Fatal(err)
	}
	logs, err := shiplog.Open(d.LogFile("ship-0"))
	if err != nil {
		t.Fatal(err)
	}
	logs.ResumeAt("j", 9)
	if _, _, err := logs.Append([]fleet.LogLine{{Ship: "ship-0", Kind: proto.KindProposal, Journal: "j", Seq: 5, Data: data}}); err != nil {
		t.Fatal(err)
	}
	logs.Close()
	for range 2 { // helm begins again
		s, _ := fakeShip(t, v, "ship-0")
		if s.logs, err = shiplog.Open(d.LogFile("ship-0")); err != nil {
			t.Fatal(err)
		}
		s.restore()
		s.logs.Close()
		if list := v.Board().Proposals; len(list) > 1 || len(list) == 1 && list[0].Text != "wish" {
			t.Errorf("the board has %+v", list)
		}
		_, _ = v.Captain.DecideProposal(t.Context(), api.ProposalRequest{Proposal: 1})
	}
	v.Book.Flush()
	if again, err := saved.Replay(d); err != nil || again.Proposals.Next() != 2 {
		t.Errorf("%d proposals were shown, %v", again.Proposals.Next()-1, err)
	}
}
