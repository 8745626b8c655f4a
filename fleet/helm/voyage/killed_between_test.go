package voyage

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// act is something that the captain or a ship does, for which helm writes more than one record.
type act struct {
	setUp func(t *testing.T, v *Voyage)
	do    func(t *testing.T, v *Voyage) error
	goes  bool // helm goes on with it by itself, once its first record is written
}

// acts are all acts of several records, on a session with the epics 1 and 2 or, for a pool, its queue.
var acts = map[string]act{
	"a planner breaks an epic down": {setUp: claimed("planner-0", "1"), goes: true, do: func(t *testing.T, v *Voyage) error {
		s, _ := fakeShip(t, v, "planner-0")
		s.Role = fleet.Planner
		_, err := s.v.Requests.Plan(t.Context(), s.Ship, proto.PlanRequest{Claim: proto.Claim{Task: "1", Epoch: 1}, Tasks: []byte(parts)})
		return err
	}},
	"the captain approves a plan": {setUp: proposes, goes: true, do: func(t *testing.T, v *Voyage) error {
		return v.Captain.Decide(t.Context(), api.DecideRequest{Task: "1", Approve: true})
	}},
	"the captain approves work that a validator reviews": {setUp: reviews, do: func(t *testing.T, v *Voyage) error {
		return v.Captain.Decide(t.Context(), api.DecideRequest{Task: "1-1", Work: v.state("1-1").HandIn.Commit, Approve: true})
	}},
	"the captain rejects work that a validator reviews": {setUp: reviews, do: func(t *testing.T, v *Voyage) error {
		h := v.state("1-1").HandIn
		if h == nil {
			return api.Refused("it went back before")
		}
		return v.Captain.Decide(t.Context(), api.DecideRequest{Task: "1-1", Work: h.Commit, Reason: "no"})
	}},
	"the captain cancels an epic that ships work on": {setUp: reviews, goes: true, do: func(t *testing.T, v *Voyage) error {
		b := v.Board()
		all, _ := b.CancelledWith("1")
		return v.Captain.Cancel(t.Context(), api.CancelRequest{Task: "1", Tasks: all})
	}},
	"the captain takes a task back": {setUp: reviews, do: func(t *testing.T, v *Voyage) error {
		if v.state("1-2").Owner != "worker-1" {
			return api.Refused("it was taken back before")
		}
		_, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "1-2"})
		return err
	}},
	"the captain accepts a new task": {setUp: wishes(&tasks.Edit{Subject: "another"}), goes: true, do: accepts},
	"the captain accepts a change":   {setUp: wishes(&tasks.Edit{Task: "2", Subject: "another"}), do: accepts},
}

const parts = `{"tasks": [{"title": "a"}, {"title": "b", "depends_on": ["a"]}]}`

func claimed(ship, task string) func(*testing.T, *Voyage) {
	return func(t *testing.T, v *Voyage) {
		t.Helper()
		if _, err := v.Store.Claim(t.Context(), ship, task); err != nil {
			t.Fatal(err)
		}
	}
}

// proposes has the captain asked about a plan.
func proposes(t *testing.T, v *Voyage) {
	t.Helper()
	claimed("planner-0", "1")(t, v)
	if err := os.WriteFile(v.Dir.Plan("1"), []byte(parts), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := v.Store.Requeue(t.Context(), tasks.Requeue{Task: "1", Owner: "planner-0", Epoch: 1, Hold: true, Proposed: 2}); err != nil {
		t.Fatal(err)
	}
}

// reviews has epic 1 broken down: a validator reviews 1-1, and worker-1 works on 1-2.
func reviews(t *testing.T, v *Voyage) {
	t.Helper()
	epic := v.state("1")
	all, err := tasks.Breakdown([]byte(`{"tasks": [{"title": "a"}, {"title": "b"}, {"title": "c", "depends_on": ["a"]}]}`), epic)
	if err == nil {
		_, err = v.Store.Add(t.Context(), all)
	}
	if err == nil {
		err = v.Captain.Coordinate()
	}
	if err != nil {
		t.Fatal(err)
	}
	claimed("worker-0", "1-1")(t, v)
	claimed("worker-1", "1-2")(t, v)
	work := tasks.Completion{Task: "1-1", Owner: "worker-0", Epoch: 1, Commit: git(t, v.Dir, "rev-parse", "HEAD")}
	if err := v.Store.HandIn(t.Context(), work, "done"); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Store.ClaimReview(t.Context(), "validator-0", "1-1"); err != nil {
		t.Fatal(err)
	}
}

func wishes(e *tasks.Edit) func(*testing.T, *Voyage) {
	return func(_ *testing.T, v *Voyage) { v.propose(fleet.Proposal{Ship: "worker-0", Text: "wish", Edit: e}) }
}

func accepts(t *testing.T, v *Voyage) error {
	list := v.Board().Proposals
	if len(list) == 0 {
		return api.NotFound("it was accepted before")
	}
	_, err := v.yes(t, &list[0])
	return err
}

// outcome is how a voyage stands, without what differs when something is done twice.
func outcome(v *Voyage) string {
	var s strings.Builder
	for _, t := range v.Store.Snapshot().Tasks {
		fmt.Fprintf(&s, "%s %q %s of %q, held %t, cancelled %t, in review %t, approved %t, proposed %d\n", t.ID, t.Subject, t.Status, t.Owner, t.OnHold, t.Cancelled, t.InReview(), t.Approved(), t.Proposed)
	}
	fmt.Fprintf(&s, "%d proposals, %d cancels\n", len(v.Proposals.Waiting()), len(v.Records.Cancels()))
	for _, t := range v.Store.Snapshot().Tasks {
		if f, ok := v.Records.FenceOf(t.ID, t.Epoch); ok && t.Status == tasks.InProgress {
			fmt.Fprintf(&s, "%s is taken back from %s and held\n", t.ID, f.Ship)
		}
	}
	return s.String()
}

// TestKilledBetweenRecords ends helm after each record of an act. The next helm finishes the act, or the captain does it again: the voyage
// then stands as if the act had never been cut.
func TestKilledBetweenRecords(t *testing.T) {
	t.Parallel()
	for name, a := range acts {
		t.Run(name, func(t *testing.T) {
			hub := helmtest.Hub(t)
			spec := fleet.Voyage{Kind: fleet.Session, Validators: 1, AskPlan: strings.Contains(name, "a plan")}
			d := helmtest.Voyage(t, hub, spec, "#!/bin/sh\n", epic("1"), epic("2"))
			h := startHelm(t, hub)
			v := openStill(t, h, d)
			v.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = fleet.Sailing })
			a.setUp(t, v)
			h.Close()
			before := t.TempDir() + "/before"
			if err := os.CopyFS(before, os.DirFS(string(d))); err != nil {
				t.Fatal(err)
			}
			from := len(eventsOf(t, d))
			h, v = again(t, hub, d, nil)
			if err := a.do(t, v); err != nil {
				t.Fatal(err)
			}
			settle(t, v)
			want := outcome(v)
			h.Close()
			whole := eventsOf(t, d)
			cuts := 0
			for at := from; at < len(whole); at++ {
				if whole[at] != '\n' {
					continue
				}
				cuts++
				if err := errors.Join(os.RemoveAll(string(d)), os.CopyFS(string(d), os.DirFS(before))); err != nil {
					t.Fatal(err)
				}
				h, v := again(t, hub, d, whole[:at+1])
				if text := outcome(v); strings.Contains(text, `"captain"`) || strings.Contains(text, "and held") {
					t.Errorf("cut after record %d it stands so:\n%s", cuts, text)
				} else if a.goes && text != want {
					t.Errorf("cut after record %d helm goes on to:\n%s\nnot:\n%s", cuts, text, want)
				}
				if err := a.do(t, v); err != nil && !errors.Is(err, api.ErrRefused) && !errors.Is(err, api.ErrNotFound) {
					t.Errorf("cut after record %d: %v", cuts, err)
				}
				settle(t, v)
				if got := outcome(v); got != want {
					t.Errorf("cut after record %d, and done again:\n%s\nnot:\n%s\nthe records: %s", cuts, got, want, kinds(whole[from:]))
				}
				h.Close()
			}
			if cuts < 2 {
				t.Errorf("%d records are written: %s", cuts, kinds(whole[from:]))
			}
		})
	}
}

func epic(id string) tasks.Task {
	t := helmtest.Task(id, "true")
	t.Metadata["type"] = tasks.Epic
	return t
}

func eventsOf(t *testing.T, d fleet.Dir) []byte {
	t.Helper()
	raw, err := os.ReadFile(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// again opens a voyage with a journal, nil for what it has, and does what helm does first.
func again(t *testing.T, hub fleet.Hub, d fleet.Dir, events []byte) (*helm, *Voyage) {
	t.Helper()
	if events != nil {
		if err := os.WriteFile(d.Events(), events, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h := startHelm(t, hub)
	v := openStill(t, h, d)
	v.Captain.FinishCancels()
	settle(t, v)
	return h, v
}

// settle does what helm does after each change of the tasks, until there is nothing left to do.
func settle(t *testing.T, v *Voyage) {
	t.Helper()
	for range 2 {
		if err := v.Captain.Coordinate(); err != nil {
			t.Fatal(err)
		}
	}
}

// kinds lists the kinds of records.
func kinds(raw []byte) string {
	var all []string
	for line := range bytes.Lines(raw) {
		_, after, _ := bytes.Cut(line, []byte(`"kind":"`))
		kind, _, _ := bytes.Cut(after, []byte(`"`))
		all = append(all, string(kind))
	}
	return strings.Join(all, ", ")
}
