package helm

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
	"ocaptain/tasks/watch"
)

// followIssues proposes to the captain what people do to the issues in the workspace, with bd or otherwise.
func (v *voyage) followIssues() {
	if v.info.Beads.Prefix == "" {
		return
	}
	var was []byte
	if v.info.Base != "" {
		var err error
		if was, err = v.work.File(v.ctx, v.info.Base, beads.Name); err != nil {
			v.log.Warn("the issues that the voyage began with cannot be read", "error", err)
			return
		}
	}
	w := watch.New()
	defer w.Close()
	file := filepath.Join(v.dir.Workspace(), beads.Name)
	base := beads.Read(was)
	var last os.FileInfo
	for v.ctx.Err() == nil {
		changed := reads(v, func() chan struct{} { return v.changed })
		_ = w.Add(filepath.Dir(file)) // where there is none, a change of the tasks makes one
		if now, err := os.Lstat(file); err == nil && (last == nil || !os.SameFile(last, now) || !last.ModTime().Equal(now.ModTime()) || last.Size() != now.Size()) {
			last = now
			v.proposeIssues(base)
		}
		select {
		case <-w.Events:
		case <-w.Missed:
		case <-changed:
		case <-v.ctx.Done():
		}
	}
}

// proposeIssues proposes what people did to issues. What is on the list, or was, is not proposed again.
func (v *voyage) proposeIssues(base *beads.File) {
	f, _ := beads.Load(v.dir.Workspace())
	if f == nil || f.Defects.Errors() > 0 { // somebody may be writing it
		return
	}
	s := beads.Session{Voyage: v.dir.ID(), Prefix: v.info.Beads.Prefix, Clean: v.redact}
	for _, w := range s.Wishes(f, base, v.store.Snapshot().Tasks, time.Now()) {
		v.propose(proposalOf(w))
	}
}

// proposalOf says what people did to an issue, and what follows when the captain accepts it.
func proposalOf(w beads.Wish) fleet.Proposal {
	p := fleet.Proposal{Task: w.Task, Issue: clean.Word(w.Issue), Edit: &w.Edit}
	text := "issue " + p.Issue + " was "
	switch {
	case w.Close:
		p.Cancel, p.Edit = true, nil
		if text += "closed in the workspace"; w.Why != "" {
			text += ": " + clean.Line(w.Why)
		}
	case w.Reopened:
		p.Task = ""
		if text += "opened again in the workspace"; w.Task != "" {
			text += ", after task " + w.Task
		}
		text += ": " + clean.Line(w.Edit.Subject)
	case w.Task != "":
		text += "changed in the workspace: " + changedParts(w.Edit)
	default:
		text += "added in the workspace: " + clean.Line(w.Edit.Subject)
	}
	p.Text = cleanText(text, maxText)
	return p
}

// changedParts says what an edit changes.
func changedParts(e tasks.Edit) string {
	var parts []string
	if e.Subject != "" {
		parts = append(parts, "its words")
	}
	if e.Priority != nil {
		parts = append(parts, "its priority")
	}
	if e.Labels != nil {
		parts = append(parts, "its labels")
	}
	return strings.Join(parts, ", ")
}
