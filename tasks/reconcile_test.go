package tasks

import (
	"fmt"
	"slices"
	"testing"
)

func TestReconcile(t *testing.T) {
	state := func(id string, s Status, owner string, epoch uint64, commit string) State {
		return State{Task: Task{ID: id, Subject: "Task " + id, Status: s, Owner: owner}, Epoch: epoch, Commit: commit}
	}
	pending := func(id string) State { return state(id, Pending, "", 0, "") }
	working := func(id string, epoch uint64) State { return state(id, InProgress, "ship-0", epoch, "") }
	done := func(id string, epoch uint64, commit string) State {
		return state(id, Completed, "ship-0", epoch, commit)
	}
	reserved := func(id string) State {
		s := pending(id)
		s.ReservedFor = "ship-1"
		return s
	}
	landed := Landed{"1", "ship-0", 2, "c1"}
	for _, c := range []struct {
		name    string
		known   []State
		files   []State
		board   []State
		landed  []Landed
		damaged bool
		want    string
	}{
		{name: "nothing lost", known: []State{done("1", 2, "c1"), working("2", 1)}, files: []State{done("1", 2, "c1")}, board: []State{working("2", 1)}, landed: []Landed{landed}},
		{name: "views behind", known: []State{done("1", 2, "c1")}, files: []State{working("1", 1)}, board: []State{pending("1")}, landed: []Landed{landed}},
		{name: "killed between merge and journal", known: []State{working("1", 2)}, landed: []Landed{landed}},
		{name: "the branch knows more", known: []State{pending("1")}, landed: []Landed{landed}, want: "1 completed ship-0 2 c1; floor"},
		{name: "it was claimed again", known: []State{working("1", 3)}, landed: []Landed{landed}, want: "1 completed ship-0 2 c1; floor"},
		{name: "a change of nothing", known: []State{pending("1")}, files: []State{done("1", 2, "c1")}, board: []State{done("1", 2, "c1")}, want: "1 completed ship-0 2 c1; floor"},
		{name: "a completion that is not on the branch", known: []State{pending("1")}, files: []State{done("1", 2, "gone")}, board: []State{done("1", 2, "gone")}, want: "1 pending  2 ; floor"},
		{name: "a claim that all tell of", known: []State{pending("1")}, files: []State{working("1", 1)}, board: []State{working("1", 1)}, want: "1 in_progress ship-0 1 ; floor"},
		{name: "a claim that one tells of", known: []State{pending("1")}, board: []State{working("1", 1)}, want: "1 pending  1 ; floor"},
		{name: "a claim older than another", known: []State{working("1", 1)}, files: []State{working("1", 3)}, board: []State{working("1", 2)}, want: "1 pending  3 ; floor"},
		{name: "a task that was lost", files: []State{pending("1")}, want: "add 1; floor"},
		{name: "a task that was lost and done", files: []State{done("1", 2, "c1")}, landed: []Landed{landed}, want: "add 1; 1 completed ship-0 2 c1; floor"},
		{name: "a reserved task that was lost", files: []State{pending("1")}, board: []State{reserved("1")}, want: "add 1; 1 pending for ship-1 0 ; floor"},
		{name: "a reservation that was lost", known: []State{pending("1")}, board: []State{reserved("1")}, damaged: true, want: "1 pending for ship-1 0 ; floor"},
		{name: "a reservation that is over", known: []State{pending("1")}, board: []State{reserved("1")}},
		{name: "a reserved task that was claimed", known: []State{working("1", 1)}, board: []State{reserved("1")}, damaged: true, want: "floor"},
		{name: "another reservation", known: []State{reserved("1")}, board: []State{state("1", Pending, "", 0, "")}, damaged: true, want: "floor"},
		{name: "no task", files: []State{pending("../1"), pending(Sentinel)}},
		{name: "only damage", known: []State{pending("1")}, damaged: true, want: "floor"},
		{name: "reset", known: []State{done("1", 2, "gone")}},
		{name: "rebased", known: []State{done("1", 2, "gone")}, landed: []Landed{landed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := make([]*State, len(c.known))
			for i := range c.known {
				known[i] = &c.known[i]
			}
			view := func(all []State) map[string]State {
				by := map[string]State{}
				for _, s := range all {
					by[s.ID] = s
				}
				return by
			}
			m := Reconcile(known, Evidence{
				Views: []map[string]State{view(c.files), view(c.board)}, Landed: c.landed, Damaged: c.damaged,
				Has: func(commit string) bool { return commit == "c1" },
			})
			var got []string
			for _, a := range m.Add {
				got = append(got, "add "+a.ID)
			}
			for _, s := range m.States {
				owner := s.Owner
				if s.ReservedFor != "" {
					owner += "for " + s.ReservedFor
				}
				got = append(got, fmt.Sprintf("%s %s %s %d %s", s.ID, s.Status, owner, s.Epoch, s.Commit))
			}
			top := uint64(0)
			for _, s := range slices.Concat(c.known, c.files, c.board) {
				top = max(top, s.Epoch)
			}
			switch {
			case m.Floor > top:
				got = append(got, "floor")
			case m.Floor > 0:
				t.Errorf("the floor %d is not above %d", m.Floor, top)
			}
			text := ""
			for i, g := range got {
				if i > 0 {
					text += "; "
				}
				text += g
			}
			if text != c.want {
				t.Errorf("got %q, want %q", text, c.want)
			}
		})
	}
}

// What a task that was lost waited for is kept, as far as it is still there.
func TestReconcileEdges(t *testing.T) {
	lost := State{Task: Task{ID: "2", Subject: "two", BlockedBy: []string{"1", "9"}, Blocks: []string{"3", "8"}, Metadata: map[string]any{Reserved: 1, "run": "x"}}}
	one, three := State{Task: Task{ID: "1"}}, State{Task: Task{ID: "3"}}
	m := Reconcile([]*State{&one, &three}, Evidence{Views: []map[string]State{{"2": lost}}, Has: func(string) bool { return false }})
	if len(m.Add) != 1 || !slices.Equal(m.Add[0].BlockedBy, []string{"1"}) || !slices.Equal(m.Add[0].Blocks, []string{"3"}) || len(m.Add[0].Metadata) != 1 {
		t.Errorf("got %+v", m.Add)
	}
	if len(lost.Metadata) != 2 || len(lost.BlockedBy) != 2 {
		t.Error("the evidence was changed")
	}
}

// TestReconcileApproved has a crash come between the merge of work that was approved and its record: nothing was lost.
func TestReconcileApproved(t *testing.T) {
	in := &HandIn{Owner: "worker-0", Epoch: 1, Commit: "a", Checked: "b", Review: &Review{Approved: true, By: "validator-0"}}
	s := &State{Task: Task{ID: "1", Status: Pending}, Epoch: 2, HandIn: in}
	e := Evidence{Landed: []Landed{{Task: "1", Owner: "worker-0", Epoch: 1, Commit: "c"}}, Has: func(string) bool { return true }}
	if m := Reconcile([]*State{s}, e); !m.IsEmpty() {
		t.Errorf("%+v", m)
	}
}
