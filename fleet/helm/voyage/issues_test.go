package voyage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/issues"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
	"ocaptain/tasks/eventually"
)

// issuesOf are the issues on the branch of a voyage.
func issuesOf(t *testing.T, v *Voyage) *beads.File {
	t.Helper()
	data, err := v.Work.File(t.Context(), git(t, v.Dir, "rev-parse", v.Info.Branch), beads.Name)
	if err != nil {
		t.Fatal(err)
	}
	return beads.Read(data)
}

// allClosed reports whether all tasks are closed issues on the branch.
func allClosed(t *testing.T, v *Voyage) bool {
	f := issuesOf(t, v)
	for _, s := range v.Store.Snapshot().Tasks {
		if i := f.Issue(v.Info.Bead(&s.Task)); !s.Internal() && (i == nil || i.Status != beads.Closed) {
			return false
		}
	}
	return true
}

// proposesIssues has people change the issues in the workspace: the captain is shown that, once, and what he accepts is a task.
func (v *Voyage) proposesIssues(t *testing.T, was []byte) {
	t.Helper()
	file := filepath.Join(v.Dir.Workspace(), beads.Name)
	added := `{"id":"kite-a","title":"Theirs","status":"open","description":"of people"}` + "\n"
	if err := os.WriteFile(file, append(append([]byte{}, was...), added...), 0o600); err != nil {
		t.Fatal(err)
	}
	find := func() (p fleet.Proposal) {
		for _, p := range v.Proposals.Waiting() {
			if p.Issue == "kite-a" {
				return p
			}
		}
		return p
	}
	eventually.Holds(t, "it is proposed", func() bool { return find().ID != 0 })
	p := find()
	if p.Edit == nil || p.Edit.Subject != "Theirs" || p.Edit.Description != "of people" || p.Ship != "" {
		t.Fatalf("%+v", p)
	}
	done, err := v.yes(t, &p) // the session is over, and goes on
	id := done.Task
	if err != nil || v.Info.Bead(&v.state(id).Task) != "kite-a" {
		t.Fatal(id, err)
	}
	if err := v.Captain.Cancel(t.Context(), api.CancelRequest{Task: id, Tasks: []string{id}}); err != nil { // nothing says what to run for it
		t.Fatal(err)
	}
	eventually.Holds(t, "its issue is closed", func() bool { i := issuesOf(t, v).Issue("kite-a"); return i != nil && i.Status == beads.Closed })
	eventually.Holds(t, "it is verified again", v.is(fleet.Complete))
	if find().ID != 0 {
		t.Error("it is proposed again")
	}
	if err := os.WriteFile(file, reopened(t, file), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "that it was opened again is proposed", func() bool { return strings.Contains(find().Text, "opened again") })
	if _, err := v.Captain.DecideProposal(t.Context(), api.ProposalRequest{Proposal: find().ID}); err != nil {
		t.Fatal(err)
	}
}

// reopened is a file of issues with kite-a open.
func reopened(t *testing.T, file string) []byte {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for l := range strings.Lines(string(raw)) {
		if strings.Contains(l, `"kite-a"`) {
			l = strings.Replace(l, `"status":"closed"`, `"status":"open"`, 1)
		}
		lines.WriteString(l)
	}
	return []byte(lines.String())
}

// TestIssues has a session write its epic and tasks as issues on its branch, and no agent does that for it.
func TestIssues(t *testing.T) {
	t.Parallel()
	h := startHelm(t, helmtest.Hub(t))
	epic, err := tasks.NewEpic(planned(`{"tasks": [
		{"id": "A", "title": "Schema", "labels": ["db"], "run": "mkdir -p .beads && echo forged >.beads/issues.jsonl && echo a >a"},
		{"title": "Model", "depends_on": ["A"], "run": "test -e a && echo b >b"}]}`), []string{"backend"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	epic.ID = "1"
	d := helmtest.Voyage(t, h.Hub, fleet.Voyage{Kind: fleet.Session, Beads: fleet.Beads{Prefix: "kite"}}, "#!/bin/sh\nexit 0\n", epic)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	eventually.Holds(t, "all issues are closed", func() bool { return allClosed(t, v) })
	f := issuesOf(t, v)
	if len(f.Defects) > 0 || len(f.Issues()) != 3 {
		t.Fatalf("%v\n%s", f.Defects, f.Bytes())
	}
	bead := func(id string) *beads.Issue { return f.Issue(v.Info.Bead(&v.state(id).Task)) }
	if e, m := bead("1"), bead("1-2"); e.Type != tasks.Epic || e.Priority != 1 || m.Parent() != e.ID || m.Title != "Model" || strings.Join(m.Labels, " ") != "backend" || !strings.HasPrefix(m.CloseReason, "merged as ") || m.Assignee != "worker-0" {
		t.Errorf("%+v\n%+v", e, m)
	}
	if dirt := git(t, v.Dir, "status", "--porcelain"); dirt != "" {
		t.Errorf("the captain's files are not those of the branch: %s", dirt)
	}
	v.proposesIssues(t, f.Bytes())
	// What a crash left out is written when helm is there again, once.
	git(t, v.Dir, "rm", "-q", "--cached", beads.Name)
	if err := os.Remove(filepath.Join(v.Dir.Workspace(), beads.Name)); err != nil {
		t.Fatal(err)
	}
	git(t, v.Dir, "commit", "-qm", "lost")
	next := issues.New(v.issues.Options) // as after a start
	for range 2 {
		if err := next.Write(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !allClosed(t, v) || git(t, v.Dir, "log", "-1", "--format=%s", v.Info.Branch+"^") != "lost" {
		t.Errorf("%s\n%s", issuesOf(t, v).Bytes(), git(t, v.Dir, "log", "--oneline"))
	}
	if again := (beads.Session{Voyage: v.Dir.ID(), Prefix: "kite", Clean: v.Secrets.Redact}); again.Put(issuesOf(t, v), v.Store.Snapshot().Tasks, time.Now()) {
		t.Error("what is written is not what the tasks are")
	}
}
