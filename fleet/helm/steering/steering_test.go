package steering

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/book"
	"ocaptain/fleet/wake"
	tree "ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// TestJudge: what the guard lets in, and when the captain is asked.
func TestJudge(t *testing.T) {
	const in, out, asked = "let in", "kept out", "asked"
	for name, c := range map[string]struct {
		guard, last string // the word on the work before
		known       bool   // that was the same work
		want        string
	}{
		"marked":                        {"", "", false, in},
		"marked again":                  {fleet.SteeringFlag, fleet.Flagged, true, in},
		"what is never let in":          {fleet.SteeringDeny, "", false, out},
		"approved before that":          {fleet.SteeringDeny, fleet.Approved, true, out},
		"the captain was not asked":     {fleet.SteeringAsk, "", false, asked},
		"he has not answered":           {fleet.SteeringAsk, fleet.Waits, true, asked},
		"he has approved it":            {fleet.SteeringAsk, fleet.Approved, true, in},
		"he has approved something":     {fleet.SteeringAsk, fleet.Approved, false, asked},
		"he has rejected it":            {fleet.SteeringAsk, fleet.Rejected, true, out},
		"he has rejected something":     {fleet.SteeringAsk, fleet.Rejected, false, asked},
		"it was let in before he asked": {fleet.SteeringAsk, fleet.Flagged, true, asked},
	} {
		err := judge(c.guard, fleet.Steering{Task: "1", Word: fleet.Flagged}, fleet.Steering{Task: "1", Word: c.last}, c.known)
		var no *blame.NotLetIn
		got := in
		if errors.As(err, &no) {
			if got = out; no.Waits {
				got = asked
			}
		}
		if got != c.want {
			t.Errorf("%s: %s (%v)", name, got, err)
		}
	}
}

func voyage(t *testing.T, guard string) *Steering {
	t.Helper()
	d := fleet.Dir(t.TempDir())
	j, err := journal.Open(filepath.Join(string(d), "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	b := book.Open(j, func(string, error) {})
	t.Cleanup(func() { b.Close(); j.Close() })
	return New(Options{
		Dir: d, Guard: guard, Book: b, Redact: func(s string) string { return strings.ReplaceAll(s, "secret", "***") }, News: &wake.News{}, Paint: wake.New(),
	}, nil)
}

// again is what the next helm knows.
func again(t *testing.T, s *Steering) (is State) {
	t.Helper()
	if _, err := journal.Read(filepath.Join(string(s.o.Dir), "events.jsonl"), 0, func(r journal.Record) error { is.Add(r); return nil }); err != nil {
		t.Fatal(err)
	}
	return is
}

// TestDecide: the captain's word counts for the work that he saw, also when it lands with the same files, and after helm has ended.
func TestDecide(t *testing.T) {
	s := voyage(t, fleet.SteeringAsk)
	task := &tasks.State{Task: tasks.Task{ID: "1", Owner: "ship-0", Status: tasks.InProgress}, Epoch: 2}
	work := tree.Steering{Work: "w1", Files: "f1", Paths: []string{"CLAUDE.md"}}
	if _, err := s.Decide(task, api.DecideRequest{Approve: true, Work: "w1"}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("he decides about nothing: %v", err)
	}
	no, ok := errors.AsType[*blame.NotLetIn](s.Judge(task, false)(work))
	if !ok || !no.Waits {
		t.Fatalf("he is not asked: %v", no)
	}
	if err := s.Ask(no.Steering); err != nil || s.Waiting(task) == nil || again(t, s)["1"].Word != fleet.Waits {
		t.Fatalf("nothing waits for him: %v", err)
	}
	if _, err := s.Decide(task, api.DecideRequest{Approve: true, Work: "w0"}); !errors.Is(err, api.ErrRefused) || s.Waiting(task) == nil {
		t.Errorf("he has seen something else: %v", err)
	}
	news := s.o.News.Next()
	if is, err := s.Decide(task, api.DecideRequest{Approve: true, Work: "w1", Reason: "fine"}); err != nil || is.Word != fleet.Approved || is.Why != "" {
		t.Errorf("%+v, %v", is, err)
	}
	<-news
	s = New(s.o, again(t, s))
	other := work
	other.Work = "w2"
	for name, c := range map[string]struct {
		work  tree.Steering
		lands bool
		in    bool
	}{
		"the same":                   {work, false, true},
		"other work":                 {other, false, false},
		"other work, the same files": {other, true, true},
	} {
		if err := s.Judge(task, c.lands)(c.work); (err == nil) != c.in {
			t.Errorf("%s: %v", name, err)
		}
	}
	task.Epoch++
	if err := s.Judge(task, false)(work); err == nil || s.Waiting(task) != nil {
		t.Error("it counts for another claim")
	}
}

// TestMarked: work that is let in is written down once, with paths that are bounded and without secrets.
func TestMarked(t *testing.T) {
	s := voyage(t, "")
	task := &tasks.State{Task: tasks.Task{ID: "1", Owner: "ship-0", Status: tasks.InProgress}, Epoch: 1}
	work := tree.Steering{Work: "w", Paths: []string{"a\nsecret", strings.Repeat("x", 10*maxPath)}}
	for n := range maxPaths {
		work.Paths = append(work.Paths, fmt.Sprint(n))
	}
	for range 2 {
		if err := s.Judge(task, false)(work); err != nil {
			t.Fatal(err)
		}
	}
	is, ok := s.Of(task)
	if !ok || is.Word != fleet.Flagged || len(is.Paths) != maxPaths || is.More != 2 || is.Paths[0] != "a ***" || len(is.Paths[1]) > maxPath+10 {
		t.Errorf("%+v", is)
	}
	if written := len(again(t, s)); written != 1 {
		t.Errorf("%d are written down", written)
	}
	b := fleet.Board{Tasks: []tasks.State{*task}}
	if s.Show(&b); len(b.Steering) != 1 {
		t.Errorf("shown is %+v", b.Steering)
	}
	done := *task
	done.Status = tasks.Pending
	b = fleet.Board{Tasks: []tasks.State{done}}
	if s.Show(&b); len(b.Steering) != 0 {
		t.Errorf("of a task that is open again %+v is shown", b.Steering)
	}
	if s.Forget(func(string) *tasks.State { return task }); len(s.is) != 1 {
		t.Error("it is forgotten while the claim lasts")
	}
	task.Epoch++
	if s.Forget(func(string) *tasks.State { return task }); len(s.is) != 0 {
		t.Error("it is known after the claim")
	}
}
