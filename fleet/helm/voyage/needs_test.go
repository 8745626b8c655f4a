package voyage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/saved"
	"ocaptain/fleet/need"
	"ocaptain/tasks"
	"ocaptain/tasks/taskdir"
)

// needsOf are the kinds of what a voyage needs, when that has lasted for a minute.
func needsOf(v *Voyage) (kinds []fleet.NeedKind) {
	b := v.Board()
	for _, n := range need.All(time.Now().Add(time.Minute), &b, need.Away{}) {
		kinds = append(kinds, n.Kind)
	}
	return kinds
}

// crewed is a voyage with a task, and its ship, which is not connected.
func crewed(t *testing.T) (*Voyage, *Ship) {
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"))
	v := openIt(t, startHelm(t, hub), d)
	s, _ := fakeShip(t, v, "ship-0")
	v.Roster.Alter(func(f *fleet.Fleet) { f.Ships = append(f.Ships, record(s)) })
	return v, s
}

// TestProposalsStay has proposals listed until the captain decides about them, also over a restart of helm.
func TestProposalsStay(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	s, _ := fakeShip(t, v, "ship-0")
	for range 2 { // an agent may say it again
		v.propose(fleet.Proposal{Ship: s.Name, Task: "1", Text: "delete task 1"})
	}
	v.tampered([]taskdir.Tamper{{Task: "7", What: taskdir.Created, Kept: "7.json.proposed"}})
	list := v.Board().Proposals
	if len(list) != 2 || list[0].ID != 1 || list[0].Text != "delete task 1" || list[1].ID != 2 || list[1].Task != "7" {
		t.Fatalf("proposals: %+v", list)
	}
	if kinds := needsOf(v); len(kinds) != 2 || kinds[0] != fleet.NeedProposal {
		t.Errorf("it needs %v", kinds)
	}
	if _, err := v.Captain.DecideProposal(t.Context(), api.ProposalRequest{Proposal: 1}); err != nil {
		t.Error(err)
	}
	if _, err := v.Captain.DecideProposal(t.Context(), api.ProposalRequest{Proposal: 1}); err == nil {
		t.Error("it is rejected twice")
	}
	again, err := saved.Replay(d)
	if err != nil {
		t.Fatal(err)
	}
	if left := again.Proposals.Waiting(); len(left) != 1 || left[0].ID != 2 || again.Proposals.Next() != 3 {
		t.Errorf("after a restart: %+v", left)
	}
	for i := range 2 * fleet.MaxProposals {
		v.propose(fleet.Proposal{Ship: s.Name, Text: fmt.Sprint("wish ", i)})
	}
	list = v.Board().Proposals
	if len(list) != 1+fleet.MaxProposals || list[0].ID != 2 || list[1].Text != "wish 0" {
		t.Errorf("%d proposals are kept, the first %+v", len(list), list[0])
	}
	b := v.Board()
	all := need.All(time.Now().Add(time.Minute), &b, need.Away{})
	if len(all) != 2 || !slices.ContainsFunc(all, func(n need.Need) bool { return strings.Contains(n.Why, "no more are taken") }) {
		t.Errorf("it needs %+v", all)
	}
}

// TestConflictNeedsCaptain counts the conflicts of a claim: those of an earlier one do not count.
func TestConflictNeedsCaptain(t *testing.T) {
	t.Parallel()
	v, s := crewed(t)
	claim := func() *tasks.State {
		if _, err := v.Store.Claim(t.Context(), s.Name, "1"); err != nil {
			t.Fatal(err)
		}
		return v.Store.Snapshot().Task("1")
	}
	is := claim()
	for n := range need.Conflicts {
		if kinds := needsOf(v); slices.Contains(kinds, fleet.NeedConflict) {
			t.Errorf("after %d conflicts it needs %v", n, kinds)
		}
		s.Conflicted(is, []string{"a.go"})
	}
	if kinds := needsOf(v); !slices.Contains(kinds, fleet.NeedConflict) {
		t.Errorf("it needs %v", kinds)
	}
	if err := v.Store.Requeue(t.Context(), tasks.Requeue{Task: "1", Owner: s.Name, Epoch: is.Epoch}); err != nil {
		t.Fatal(err)
	}
	s.Conflicted(claim(), []string{"a.go"})
	if kinds := needsOf(v); slices.Contains(kinds, fleet.NeedConflict) {
		t.Errorf("at a new claim it needs %v", kinds)
	}
}

// What is in the way of a ship's work is told for as long as it is.
func TestInTheWayIsOver(t *testing.T) {
	t.Parallel()
	v, s := crewed(t)
	if _, err := v.Store.Claim(t.Context(), s.Name, "1"); err != nil {
		t.Fatal(err)
	}
	v.Hinders.Block("1", "your a.go")
	since := v.Board().InTheWay["1"].Since
	v.Hinders.Block("1", "your b.go")
	if is := v.Board().InTheWay["1"]; is.Why != "your b.go" || is.Since != since || since.IsZero() {
		t.Errorf("in the way is %+v, since %s", is, since)
	}
	if kinds := needsOf(v); !slices.Contains(kinds, fleet.NeedInTheWay) {
		t.Errorf("it needs %v", kinds)
	}
	v.Hinders.Unblock("1")
	if kinds := needsOf(v); slices.Contains(kinds, fleet.NeedInTheWay) {
		t.Errorf("at last it needs %v", kinds)
	}
}
