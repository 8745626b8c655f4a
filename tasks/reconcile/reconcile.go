// Package reconcile finds what a task store has lost, by comparing it with the branch, the task files and the board. It does no I/O.
package reconcile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ocaptain/tasks"
)

// Landed is a completed task whose merge is on the branch.
type Landed struct {
	Task, Owner string
	Epoch       uint64
	Commit      string
	Subject     string // of the commit, "" if that is not known
}

// IsOf reports whether the work may be that of a task. An older copy of the tasks may have gone on and given the id to another task: the
// subject of the commit then differs from that of the task.
func (l Landed) IsOf(t *tasks.State) bool {
	is, want := strings.Join(strings.Fields(l.Subject), " "), strings.Join(strings.Fields(t.Subject), " ")
	n := min(len(is), len(want), sameSubject)
	return l.Task == t.ID && is[:n] == want[:n]
}

// sameSubject is how many bytes of two subjects are compared: long ones are cut in commits.
const sameSubject = 60

// Evidence is what sources other than the journal say about a store's tasks.
type Evidence struct {
	Views   []map[string]tasks.State // the tasks by id, as each source derived from the journal shows them: the task files, the board
	Landed  []Landed
	Has     func(commit string) bool // whether the branch has a commit
	Damaged bool                     // the journal has lost something

	Reverted map[string]bool // the claims whose merged work was reverted
}

// Mend is what a store lacks compared with the evidence. It takes back nothing that the store knows.
type Mend struct {
	Add    []tasks.Task  // tasks that the store has lost
	States []tasks.State // the states of tasks that are further along than the store knows
	Floor  uint64        // grant only epochs above this, since ships may still use lost claims; 0 when nothing was lost
}

// IsEmpty reports whether the store has lost nothing.
func (m Mend) IsEmpty() bool { return len(m.Add)+len(m.States) == 0 && m.Floor == 0 }

// IDs are the ids of the tasks of a Mend.
type IDs struct {
	Added   []string
	Done    []string // completed
	Held    []string // held by the same ships as before
	Pending []string
}

// IDs returns the ids of the tasks that the Mend adds, and of the tasks that it gives another state, sorted by that
// state.
func (m Mend) IDs() (is IDs) {
	for _, t := range m.Add {
		is.Added = append(is.Added, t.ID)
	}
	for _, s := range m.States {
		list := &is.Pending
		switch s.Status {
		case tasks.Completed:
			list = &is.Done
		case tasks.InProgress:
			list = &is.Held
		}
		*list = append(*list, s.ID)
	}
	return is
}

// Text says what the store had lost and what was done about it.
func (m Mend) Text() string {
	is := m.IDs()
	text := "the journal events.jsonl had lost something (a damaged disk, or an older copy?)."
	for _, part := range []struct {
		ids  []string
		what string
	}{
		{is.Added, "put in again from their files"},
		{is.Done, "completed, as their work is on the branch"},
		{is.Held, "held as before"},
		{is.Pending, "pending again, as nothing tells for certain who held them"},
	} {
		if len(part.ids) > 0 {
			text += fmt.Sprintf(" Tasks %s: %s.", tasks.JoinIDs(part.ids), part.what)
		}
	}
	return text + " Claims that no file remembers do not count any more; no work is done twice."
}

// lostClaims is how many claims of one task a damaged journal may have lost.
const lostClaims = 1000

// Tasks compares a store's tasks with the evidence. A completion counts if its work is on the branch. A claim counts
// if all views show it.
func Tasks(known []*tasks.State, e Evidence) Mend {
	r := reconciler{Evidence: e, known: map[string]*tasks.State{}, landed: map[string]Landed{}}
	for _, s := range known {
		r.known[s.ID] = s
		r.top = max(r.top, s.Epoch)
	}
	for _, l := range e.Landed {
		if r.landed[l.Task].Epoch < l.Epoch {
			r.landed[l.Task] = l
		}
		r.top = max(r.top, l.Epoch)
	}
	r.adoptFromViews()
	for _, s := range known {
		r.decideState(s)
	}
	for _, t := range r.mend.Add {
		r.decideState(&tasks.State{Task: t})
	}
	if !r.mend.IsEmpty() || e.Damaged {
		r.mend.Floor = r.top + lostClaims
	}
	return r.mend
}

type reconciler struct {
	Evidence
	known  map[string]*tasks.State
	landed map[string]Landed
	top    uint64 // the highest epoch in the store or the evidence
	mend   Mend
}

// adoptFromViews adds tasks that only views know, and their dependencies on tasks that still exist.
func (r *reconciler) adoptFromViews() {
	fresh := map[string]bool{}
	for _, view := range r.Views {
		for _, id := range slices.SortedFunc(maps.Keys(view), tasks.CompareIDs) {
			s := view[id]
			r.top = max(r.top, s.Epoch)
			if r.known[s.ID] != nil || fresh[s.ID] || s.Internal() || !tasks.ValidID(s.ID) {
				continue
			}
			fresh[s.ID] = true
			t := s.Clone()
			t.Status, t.Owner = tasks.Pending, ""
			delete(t.Metadata, tasks.Reserved)
			r.mend.Add = append(r.mend.Add, t)
		}
	}
	there := func(id string) bool { return fresh[id] || r.known[id] != nil }
	for i := range r.mend.Add {
		t := &r.mend.Add[i]
		t.BlockedBy = slices.DeleteFunc(t.BlockedBy, func(id string) bool { return !there(id) })
		t.Blocks = slices.DeleteFunc(t.Blocks, func(id string) bool { return !there(id) })
	}
}

// decideState decides how far along a task is.
func (r *reconciler) decideState(s *tasks.State) {
	if s.Status == tasks.Completed {
		return
	}
	landed, onBranch := r.landed[s.ID]
	working := s.Status == tasks.InProgress && s.Epoch == landed.Epoch && s.Owner == landed.Owner
	approved := s.Approved() && s.HandIn.Epoch == landed.Epoch && s.HandIn.Owner == landed.Owner
	if onBranch && (working || approved) {
		return // a crash between the merge and its record; other code settles that
	}
	views := r.viewsOf(s.ID)
	newest := *s
	if i := slices.IndexFunc(views, func(v tasks.State) bool { return v.Cancelled }); i >= 0 {
		r.mend.States = append(r.mend.States, views[i])
		return
	}
	for _, v := range views {
		done := v.Status == tasks.Completed && v.Commit != "" && r.Has(v.Commit) && !r.Reverted[tasks.ClaimID(v.ID, v.Epoch)]
		if done || onBranch && v.Epoch == landed.Epoch {
			newest = v
		}
		onBranch = onBranch || done
		if landed.Task == "" && done {
			landed = Landed{Task: s.ID, Owner: v.Owner, Epoch: v.Epoch, Commit: v.Commit}
		}
	}
	if onBranch {
		newest.Status, newest.Owner, newest.Epoch, newest.Commit = tasks.Completed, landed.Owner, landed.Epoch, landed.Commit
		newest.ReservedFor = ""
		r.mend.States = append(r.mend.States, newest)
		return
	}
	ahead := slices.ContainsFunc(views, func(v tasks.State) bool { return v.Epoch > s.Epoch })
	if !ahead {
		r.keepReservation(s, views)
		return
	}
	if newest = views[len(views)-1]; newest.Status != tasks.InProgress || !viewsAgree(views, len(r.Views)) {
		newest.Status, newest.Owner = tasks.Pending, ""
		newest.Reason = "the journal had lost who held it"
	}
	for _, v := range views {
		newest.Epoch = max(newest.Epoch, v.Epoch)
	}
	newest.Commit = ""
	r.mend.States = append(r.mend.States, newest)
}

// keepReservation restores the reservation of a pending task if the store may have lost it. It leaves out groups,
// whose reservations follow from claims.
func (r *reconciler) keepReservation(s *tasks.State, views []tasks.State) {
	lost := r.Damaged || r.known[s.ID] == nil
	i := slices.IndexFunc(views, func(v tasks.State) bool {
		return v.Epoch == s.Epoch && v.Status == tasks.Pending && v.ReservedFor != ""
	})
	if !lost || s.Group() != "" || s.Status != tasks.Pending || s.ReservedFor != "" || i < 0 {
		return
	}
	reserved := *s
	reserved.ReservedFor = views[i].ReservedFor
	r.mend.States = append(r.mend.States, reserved)
}

// viewsOf returns a task as each view shows it, in the order of the views.
func (r *reconciler) viewsOf(id string) []tasks.State {
	var all []tasks.State
	for _, view := range r.Views {
		if s, there := view[id]; there {
			all = append(all, s)
		}
	}
	return all
}

// viewsAgree reports whether all views show the same claim.
func viewsAgree(views []tasks.State, all int) bool {
	first := views[0]
	return len(views) == all && !slices.ContainsFunc(views, func(v tasks.State) bool {
		return v.Status != first.Status || v.Owner != first.Owner || v.Epoch != first.Epoch
	})
}
