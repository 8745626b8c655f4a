package proposals

import (
	"encoding/json"
	"fmt"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// replayed is the list that records in a journal come to.
func replayed(t *testing.T, all []facts.Record) (l List) {
	t.Helper()
	for _, r := range all {
		raw, err := json.Marshal(r.Data)
		if err != nil {
			t.Fatal(err)
		}
		l.AddRecord(journal.Record{Kind: r.Kind, Data: raw})
	}
	return l
}

// A proposal about an issue that was decided is not made again, not even by the next helm.
func TestProposalsOfIssues(t *testing.T) {
	var s List
	it := fleet.Proposal{Issue: "kite-1", Edit: &tasks.Edit{Subject: "x"}, Text: "added"}
	for n := range 3 {
		it.ID = s.Next()
		if fresh, err := s.Add(it); err != nil || fresh != (n == 0) {
			t.Errorf("%d: %v, %v", n, fresh, err)
		}
		s.Remove(facts.Dismissed{Proposal: it.ID})
		s = replayed(t, s.records())
	}
	other := it
	other.Edit = &tasks.Edit{Subject: "y"}
	if fresh, err := s.Add(other); err != nil || !fresh {
		t.Errorf("another: %v, %v", fresh, err)
	}
}

// A proposal is stored once, a flood from one ship leaves room for other ships, and no number is used twice.
func TestList(t *testing.T) {
	var p List
	for i := range 2 * fleet.MaxProposals {
		_, err := p.Add(fleet.Proposal{ID: p.Next(), Ship: "ship-0", Text: fmt.Sprint("wish ", i)})
		if (err != nil) != (i >= fleet.MaxProposals) {
			t.Errorf("proposal %d: %v", i, err)
		}
	}
	if fresh, err := p.Add(fleet.Proposal{ID: p.Next(), Ship: "ship-1", Text: "wish 0"}); !fresh || err != nil {
		t.Errorf("another ship's: %t, %v", fresh, err)
	}
	last := p.Next() - 1
	if fresh, err := p.Add(fleet.Proposal{ID: p.Next(), Ship: "ship-1", Text: "wish 0"}); fresh || err != nil {
		t.Errorf("the same again: %t, %v", fresh, err)
	}
	p.Remove(facts.Dismissed{Proposal: last})
	if _, waits := p.Find(last); waits || p.Next() != last+1 || len(p.Waiting()) != fleet.MaxProposals {
		t.Errorf("after it was decided: %+v", p)
	}
}
