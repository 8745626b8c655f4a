package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ocaptain/tasks"
)

func TestReconcile(t *testing.T) {
	state := func(id string, s tasks.Status, owner string, epoch uint64, commit string) tasks.State {
		return tasks.State{Task: tasks.Task{ID: id, Subject: "Task " + id, Status: s, Owner: owner}, Epoch: epoch, Commit: commit}
	}
	pending := func(id string) tasks.State { return state(id, tasks.Pending, "", 0, "") }
	working := func(id string, epoch uint64) tasks.State { return state(id, tasks.InProgress, "ship-0", epoch, "") }
	done := func(id string, epoch uint64, commit string) tasks.State {
		return state(id, tasks.Completed, "ship-0", epoch, commit)
	}
	reserved := func(id string) tasks.State {
		s := pending(id)
		s.ReservedFor = "ship-1"
		return s
	}
	landed := Landed{Task: "1", Owner: "ship-0", Epoch: 2, Commit: "c1"}
	for _, c := range []struct {
		name    string
		known   []tasks.State
		files   []tasks.State
		board   []tasks.State
		landed  []Landed
		damaged bool
		want    string
	}{
		{name: "nothing lost", known: []tasks.State{done("1", 2, "c1"), working("2", 1)}, files: []tasks.State{done("1", 2, "c1")}, board: []tasks.State{working("2", 1)}, landed: []Landed{landed}},
		{name: "views behind", known: []tasks.State{done("1", 2, "c1")}, files: []tasks.State{working("1", 1)}, board: []tasks.State{pending("1")}, landed: []Landed{landed}},
		{name: "killed between merge and journal", known: []tasks.State{working("1", 2)}, landed: []Landed{landed}},
		{name: "the branch knows more", known: []tasks.State{pending("1")}, landed: []Landed{landed}, want: "1 completed ship-0 2 c1; floor"},
		{name: "it was claimed again", known: []tasks.State{working("1", 3)}, landed: []Landed{landed}, want: "1 completed ship-0 2 c1; floor"},
		{name: "a change of nothing", known: []tasks.State{pending("1")}, files: []tasks.State{done("1", 2, "c1")}, board: []tasks.State{done("1", 2, "c1")}, want: "1 completed ship-0 2 c1; floor"},
		{name: "a completion that is not on the branch", known: []tasks.State{pending("1")}, files: []tasks.State{done("1", 2, "gone")}, board: []tasks.State{done("1", 2, "gone")}, want: "1 pending  2 ; floor"},
		{name: "a claim that all tell of", known: []tasks.State{pending("1")}, files: []tasks.State{working("1", 1)}, board: []tasks.State{working("1", 1)}, want: "1 in_progress ship-0 1 ; floor"},
		{name: "a claim that one tells of", known: []tasks.State{pending("1")}, board: []tasks.State{working("1", 1)}, want: "1 pending  1 ; floor"},
		{name: "a claim older than another", known: []tasks.State{working("1", 1)}, files: []tasks.State{working("1", 3)}, board: []tasks.State{working("1", 2)}, want: "1 pending  3 ; floor"},
		{name: "a task that was lost", files: []tasks.State{pending("1")}, want: "add 1; floor"},
		{name: "a task that was lost and done", files: []tasks.State{done("1", 2, "c1")}, landed: []Landed{landed}, want: "add 1; 1 completed ship-0 2 c1; floor"},
		{name: "a reserved task that was lost", files: []tasks.State{pending("1")}, board: []tasks.State{reserved("1")}, want: "add 1; 1 pending for ship-1 0 ; floor"},
		{name: "a reservation that was lost", known: []tasks.State{pending("1")}, board: []tasks.State{reserved("1")}, damaged: true, want: "1 pending for ship-1 0 ; floor"},
		{name: "a reservation that is over", known: []tasks.State{pending("1")}, board: []tasks.State{reserved("1")}},
		{name: "a reserved task that was claimed", known: []tasks.State{working("1", 1)}, board: []tasks.State{reserved("1")}, damaged: true, want: "floor"},
		{name: "another reservation", known: []tasks.State{reserved("1")}, board: []tasks.State{state("1", tasks.Pending, "", 0, "")}, damaged: true, want: "floor"},
		{name: "no task", files: []tasks.State{pending("../1"), pending(tasks.Sentinel)}},
		{name: "only damage", known: []tasks.State{pending("1")}, damaged: true, want: "floor"},
		{name: "reset", known: []tasks.State{done("1", 2, "gone")}},
		{name: "rebased", known: []tasks.State{done("1", 2, "gone")}, landed: []Landed{landed}},
	} {
		t.Run(c.name, func(t *testing.T) {
			known := make([]*tasks.State, len(c.known))
			for i := range c.known {
				known[i] = &c.known[i]
			}
			view := func(all []tasks.State) map[string]tasks.State {
				by := map[string]tasks.State{}
				for _, s := range all {
					by[s.ID] = s
				}
				return by
			}
			m := Tasks(known, Evidence{
				Views: []map[string]tasks.State{view(c.files), view(c.board)}, Landed: c.landed, Damaged: c.damaged,
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

// A restored task keeps its dependencies on tasks that still exist.
func TestReconcileEdges(t *testing.T) {
	lost := tasks.State{Task: tasks.Task{ID: "2", Subject: "two", BlockedBy: []string{"1", "9"}, Blocks: []string{"3", "8"}, Metadata: map[string]any{tasks.Reserved: 1, "run": "x"}}}
	one, three := tasks.State{Task: tasks.Task{ID: "1"}}, tasks.State{Task: tasks.Task{ID: "3"}}
	m := Tasks([]*tasks.State{&one, &three}, Evidence{Views: []map[string]tasks.State{{"2": lost}}, Has: func(string) bool { return false }})
	if len(m.Add) != 1 || !slices.Equal(m.Add[0].BlockedBy, []string{"1"}) || !slices.Equal(m.Add[0].Blocks, []string{"3"}) || len(m.Add[0].Metadata) != 1 {
		t.Errorf("got %+v", m.Add)
	}
	if len(lost.Metadata) != 2 || len(lost.BlockedBy) != 2 {
		t.Error("the evidence was changed")
	}
}

// TestReconcileApproved covers a crash between the merge of approved work and its record: nothing counts as lost.
func TestReconcileApproved(t *testing.T) {
	in := &tasks.HandIn{Owner: "worker-0", Epoch: 1, Commit: "a", Checked: "b", Review: &tasks.Review{Approved: true, By: "validator-0"}}
	s := &tasks.State{Task: tasks.Task{ID: "1", Status: tasks.Pending}, Epoch: 2, HandIn: in}
	e := Evidence{Landed: []Landed{{Task: "1", Owner: "worker-0", Epoch: 1, Commit: "c"}}, Has: func(string) bool { return true }}
	if m := Tasks([]*tasks.State{s}, e); !m.IsEmpty() {
		t.Errorf("%+v", m)
	}
}

// The captain is told what was lost, and what was done about it.
func TestText(t *testing.T) {
	state := func(id string, is tasks.Status) tasks.State {
		return tasks.State{Task: tasks.Task{ID: id, Status: is}}
	}
	m := Mend{
		Add:    []tasks.Task{{ID: "1"}},
		States: []tasks.State{state("2", tasks.Completed), state("3", tasks.InProgress), state("4", tasks.Pending), state("5", tasks.Pending)},
	}
	const want = "Tasks 1: put in again from their files. Tasks 2: completed, as their work is on the branch. Tasks 3: held as before. Tasks 4, 5: pending again"
	if got := m.Text(); !strings.Contains(got, want) {
		t.Errorf("%q", got)
	}
}
