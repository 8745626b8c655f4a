package proposals

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/wake"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

func redact(text string) string { return strings.ReplaceAll(text, "secret", "***") }

// TestFit redacts and cleans the text of a proposal, and marks a proposal that cannot be carried out.
func TestFit(t *testing.T) {
	held := &tasks.State{Task: tasks.Task{ID: "1-2", Metadata: map[string]any{"parent": "1"}}}
	for name, c := range map[string]struct {
		p    fleet.Proposal
		want fleet.Proposal
	}{
		"words":  {fleet.Proposal{Text: "a secret"}, fleet.Proposal{Text: "a ***"}},
		"a task": {fleet.Proposal{Ship: "ship-0", Edit: &tasks.Edit{Subject: " a secret\x1b[2J ", Description: "b\r\nsecret"}}, fleet.Proposal{Ship: "ship-0", Parent: held.Parent(), Edit: &tasks.Edit{Subject: "a ***", Description: "b\n***"}}},
		"a change of a task": {
			fleet.Proposal{Ship: "ship-0", Edit: &tasks.Edit{Task: "1", Labels: &[]string{" secret "}}},
			fleet.Proposal{Ship: "ship-0", Edit: &tasks.Edit{Task: "1", Labels: &[]string{"***"}}},
		},
		"nobody's": {fleet.Proposal{Edit: &tasks.Edit{Subject: "a"}}, fleet.Proposal{Edit: &tasks.Edit{Subject: "a"}}},
	} {
		got := fit(c.p, held, redact)
		if !got.IsSame(&c.want) || got.Parent != c.want.Parent || got.Flaw != "" {
			t.Errorf("%s: %+v, %+v", name, got, got.Edit)
		}
	}
	if got := fit(fleet.Proposal{Ship: "ship-0", Edit: &tasks.Edit{Task: "1"}}, held, redact); got.Edit != nil || got.Flaw == "" {
		t.Errorf("what changes nothing: %+v", got)
	}
}

func voyage(t *testing.T) (*Proposals, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	j, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	b := book.Open(j, func(string, error) {})
	t.Cleanup(func() { b.Close(); j.Close() })
	return New(Options{Book: b, Redact: redact, Paint: wake.New()}, List{}), path
}

// TestPropose: a ship has its most, others still propose, and the next helm knows what waits and which number comes next.
func TestPropose(t *testing.T) {
	s, path := voyage(t)
	for n := range fleet.MaxProposals + 2 {
		err := s.Propose(fleet.Proposal{Ship: "ship-0", Text: strings.Repeat("x", n+1)}, nil)
		if (err != nil) != (n >= fleet.MaxProposals) {
			t.Errorf("proposal %d: %v", n, err)
		}
	}
	if err := s.Propose(fleet.Proposal{Ship: "ship-1", Text: "a"}, nil); err != nil {
		t.Error(err)
	}
	s.TakeOff(1)
	s.TakeOff(fleet.MaxProposals + 1)
	s.o.Book.Flush()
	var again List
	if _, err := journal.Read(path, 0, func(r journal.Record) error { again.AddRecord(r); return nil }); err != nil {
		t.Fatal(err)
	}
	whole := replayed(t, s.is.records())
	for name, l := range map[string]*List{"the journal": &again, "the records": &whole} {
		if len(l.Waiting()) != fleet.MaxProposals-1 || l.Next() != fleet.MaxProposals+2 || len(l.Waiting()) != len(s.Waiting()) {
			t.Errorf("%s: %d wait, and the next is %d", name, len(l.Waiting()), l.Next())
		}
	}
	if _, waits := s.Find(1); waits {
		t.Error("1 waits still")
	}
}

// TestDropAdded: what was added before helm ended in the middle does not wait, and its number is not given again.
func TestDropAdded(t *testing.T) {
	s, _ := voyage(t)
	for _, text := range []string{"a", "b"} {
		if err := s.Propose(fleet.Proposal{Ship: "ship-0", Text: text}, nil); err != nil {
			t.Fatal(err)
		}
	}
	added := &tasks.State{Task: tasks.Task{ID: "3", Metadata: map[string]any{tasks.ProposalNumber: float64(1)}}}
	late := &tasks.State{Task: tasks.Task{ID: "4", Metadata: map[string]any{tasks.ProposalNumber: float64(7)}}}
	s.DropAdded(tasks.NewSnapshot(1, []*tasks.State{added, late}, nil))
	if left := s.Waiting(); len(left) != 1 || left[0].Text != "b" || s.is.Next() != 8 {
		t.Errorf("left are %+v, and the next is %d", left, s.is.Next())
	}
}

// TestNotShown: lines of a ship's log up to its last proposal were shown.
func TestNotShown(t *testing.T) {
	s, _ := voyage(t)
	lines := []fleet.LogLine{{Journal: "j", Seq: 1}, {Journal: "j", Seq: 5}, {Journal: "j", Seq: 9}}
	if got := s.NotShown("ship-0", lines); len(got) != 3 {
		t.Errorf("%+v", got)
	}
	if err := errors.Join(s.Propose(fleet.Proposal{Ship: "ship-0", Journal: "j", Seq: 5, Text: "a"}, nil), s.Propose(fleet.Proposal{Ship: "ship-1", Journal: "j", Seq: 9, Text: "a"}, nil)); err != nil {
		t.Fatal(err)
	}
	if got := s.NotShown("ship-0", lines); !slices.EqualFunc(got, lines[2:], func(a, b fleet.LogLine) bool { return a.Seq == b.Seq }) {
		t.Errorf("%+v", got)
	}
}
