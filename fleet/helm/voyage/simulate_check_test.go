package voyage

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/review"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// recorded is a record of the journal about a task.
type recorded struct {
	At       time.Time
	Kind     string
	Task     string
	Owner    string
	Epoch    uint64
	Commit   string
	Together string
	Hold     bool
	Back     bool
	Review   *tasks.Review
}

// traced is what the journal tells of a task, in the order in which it does.
type traced struct {
	tasks.Task
	holder, waits, by string // who has it, what is in review of it, and who approved that
	author            string
	epoch, authored   uint64
	checked           bool
	merged            string // its commit
	done, held        bool
}

// auditor judges a simulation by its journal and its branch alone.
type auditor struct {
	t     *testing.T
	all   map[string]*traced
	claim map[string]uint64 // the newest epoch of each task
	times map[string]int    // how often each kind of record is there
}

// checkSimulation checks all that must always hold, and at the end that all is done.
func checkSimulation(t *testing.T, m *simulation, over bool) *auditor {
	a := &auditor{t: t, all: map[string]*traced{}, claim: map[string]uint64{}, times: map[string]int{}}
	if _, err := journal.Read(m.dir.Events(), 0, a.read); err != nil {
		t.Fatal(err)
	}
	a.refs(m.dir)
	a.branch(m.dir, over)
	if !over {
		return a
	}
	epics := 0
	for id, s := range a.all {
		if s.Type() == tasks.Epic {
			epics++
		}
		if !s.done && !s.Internal() {
			t.Errorf("task %s is not done", id)
		}
	}
	if n := len(a.all) - epics; epics != m.epics || n < m.epics*m.parts {
		t.Errorf("%d epics with %d tasks", epics, n)
	}
	t.Log(a.times)
	return a
}

// read takes one record and checks that it may follow those before.
func (a *auditor) read(r journal.Record) error {
	kind, ours := strings.CutPrefix(r.Kind, "task.")
	if !ours {
		return nil
	}
	a.times[kind]++
	if kind == "added" {
		var add struct{ Tasks []tasks.Task }
		if err := json.Unmarshal(r.Data, &add); err != nil {
			return err
		}
		for _, t := range add.Tasks {
			if a.all[t.ID] != nil {
				a.t.Errorf("task %s is there twice", t.ID)
			}
			a.all[t.ID] = &traced{Task: t}
		}
		return nil
	}
	x := recorded{At: r.At, Kind: kind}
	if err := json.Unmarshal(r.Data, &x); err != nil {
		return err
	}
	s := a.all[x.Task]
	if s == nil {
		return fmt.Errorf("%s of an unknown task %s", kind, x.Task)
	}
	if why := a.follows(s, x); why != "" {
		a.t.Errorf("%s: %+v follows %+v", why, x, *s)
	}
	return nil
}

// follows takes a record of a task, and says what is wrong with it, "" for nothing.
func (a *auditor) follows(s *traced, x recorded) string {
	if s.done {
		return "it is done"
	}
	switch x.Kind {
	case "claimed":
		return a.claimed(s, x)
	case "handed-in":
		if s.holder != x.Owner || s.epoch != x.Epoch || s.waits != "" || !strings.HasPrefix(x.Owner, "worker-") {
			return "it was not its own"
		}
		s.author, s.authored, s.waits, s.holder, s.checked = x.Owner, x.Epoch, x.Commit, "", false
	case "checked":
		if s.waits != x.Commit || s.holder != "" {
			return "that is not in review"
		}
		s.checked = true
	case "approved":
		if s.holder != x.Owner || s.epoch != x.Epoch || s.waits == "" || !s.checked || !strings.HasPrefix(x.Owner, "validator-") {
			return "it was not the validator's"
		}
		s.by, s.holder = x.Owner, ""
	case "completed":
		return a.completed(s, x)
	case "requeued":
		if x.Epoch != 0 && (x.Epoch != s.epoch || s.holder != x.Owner && x.Owner != "") {
			return "another's claim is taken back"
		}
		if x.Back {
			s.waits, s.by = "", ""
		}
		if s.holder, s.held = "", x.Hold; x.Hold {
			a.times["held"]++
		}
	}
	return ""
}

func (a *auditor) claimed(s *traced, x recorded) string {
	role, _, _ := strings.Cut(x.Owner, "-")
	want := fleet.Worker
	switch {
	case s.Type() == tasks.Epic && a.parts(s.ID) > 0:
		want = "coordinator"
	case s.Type() == tasks.Epic:
		want = fleet.Planner
	case s.waits != "":
		want = fleet.Validator
	}
	switch {
	case role != want:
		return "it is for a " + want
	case s.holder != "" || x.Epoch <= s.epoch || s.held || s.by != "":
		return "it is not free"
	case slices.ContainsFunc(s.BlockedBy, func(id string) bool {
		b := a.all[id]
		return !b.done && (s.waits != "" || b.waits == "" || b.author != x.Owner || b.Group() == "" || b.Group() != s.Group())
	}):
		return "what it waits for is not merged"
	}
	s.holder, s.epoch = x.Owner, x.Epoch
	return ""
}

func (a *auditor) completed(s *traced, x recorded) string {
	switch {
	case s.Type() == tasks.Epic:
		for _, p := range a.all {
			if p.Parent() == s.ID && !p.done {
				return "its parts are not done"
			}
		}
		if s.holder != x.Owner || s.epoch != x.Epoch || a.parts(s.ID) == 0 {
			return "it was not held"
		}
	case slices.ContainsFunc(s.BlockedBy, func(id string) bool { return !a.all[id].done }):
		return "what it waits for is not merged"
	case s.by == "" || s.author != x.Owner || s.authored != x.Epoch:
		return "it was not approved"
	}
	s.done, s.merged, s.holder, s.waits = true, x.Commit, "", ""
	return ""
}

// parts is how many parts a task has.
func (a *auditor) parts(id string) (n int) {
	for _, p := range a.all {
		if p.Parent() == id {
			n++
		}
	}
	return n
}

// refs checks that what is in review is on a ref.
func (a *auditor) refs(d fleet.Dir) {
	on := map[string]string{}
	gitLines(a.t, d, func(l string) {
		ref, commit, _ := strings.Cut(l, " ")
		on[ref] = commit
	}, "for-each-ref", "--format=%(refname) %(objectname)", "refs/ocaptain")
	for id, s := range a.all {
		if is := on[review.HandInRef(id)]; s.waits != "" && is != s.waits {
			a.t.Errorf("task %s is in review with %s, and its ref is at %q", id, s.waits, is)
		}
	}
}

// branch checks that each commit is the work of one task that was approved, and that the branch has the work of each that is done. Before the
// end one merge may not be recorded yet.
func (a *auditor) branch(d fleet.Dir, over bool) {
	commits, open := map[string]string{}, 0
	commit, task := "", ""
	gitLines(a.t, d, func(l string) {
		head, ok := strings.CutPrefix(l, "commit ")
		switch {
		case !ok && l != "":
			if id, ok := strings.CutPrefix(l, "tasks/"); ok && id != task || !ok && !strings.HasPrefix(l, "shared/") && l != "red" {
				a.t.Errorf("commit %s of task %s has %s", commit, task, l)
			}
			return
		case !ok:
			return
		}
		f := strings.Split(head, "|")
		commit, task = f[0], f[1]
		s := a.all[task]
		switch {
		case f[1] == "" && f[4] == "begin":
			return
		case s == nil || commits[task] != "":
			a.t.Errorf("commit %s is of %q, as is %q", commit, task, commits[task])
			return
		case !s.done && s.by != "":
			open++
		case s.merged != commit:
			a.t.Errorf("task %s is merged as %s, and its record has %q", task, commit, s.merged)
		}
		if f[2] != tasks.ClaimID(task, s.authored) || f[3] != s.by {
			a.t.Errorf("task %s is merged as %s by %s: %+v", task, f[2], f[3], *s)
		}
		commits[task] = commit
	}, "log", "--name-only", "--format=commit %H|"+value("Task")+"|"+value("Claim")+"|"+value("Review")+"|%s", d.ID())
	if open > 1 || over && open > 0 {
		a.t.Errorf("%d merges are not recorded", open)
	}
	for id, s := range a.all {
		if s.done && s.Type() != tasks.Epic && !s.Internal() && commits[id] == "" {
			a.t.Errorf("task %s is done, and not on the branch: %+v\n%s", id, *s, journalOf(a.t, d, id))
		}
	}
}

// journalOf returns the lines of the journal that name a task.
func journalOf(t *testing.T, d fleet.Dir, task string) string {
	t.Helper()
	raw, err := os.ReadFile(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for line := range strings.Lines(string(raw)) {
		if strings.Contains(line, fmt.Sprintf(":%q", task)) {
			all.WriteString(line)
		}
	}
	return all.String()
}

// value is git's format for the value of one of our trailers.
func value(trailer string) string {
	return "%(trailers:key=Ocaptain-" + trailer + ",valueonly,separator=%x20)"
}

func gitLines(t *testing.T, d fleet.Dir, fn func(string), args ...string) {
	t.Helper()
	for l := range strings.Lines(git(t, d, args...)) {
		fn(strings.TrimRight(l, "\n"))
	}
}

func isConflict(err error) bool {
	return err != nil && strings.Contains(err.Error(), "conflict markers")
}
