package issues

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/bd"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/tasks/beads"
	"ocaptain/tasks/watch"
)

// Follow proposes to the captain the changes that people make to the issues in the workspace, with bd or otherwise.
func (i *Issues) Follow(ctx context.Context) {
	if i.Info.Beads.Prefix == "" {
		return
	}
	w := watch.New()
	defer w.Close()
	var file, touched seenFile
	for ctx.Err() == nil {
		news := i.News.Next()
		_ = w.Add(filepath.Join(i.Dir.Workspace(), filepath.Dir(beads.Name))) // if the directory is missing, a change of the tasks creates it
		if file.changes(filepath.Join(i.Dir.Workspace(), beads.Name)) {
			s := i.session()                                                                // first, so that it is not newer than the file
			if f, _ := beads.Load(i.Dir.Workspace()); f != nil && f.Defects.Errors() == 0 { // otherwise somebody may be writing the file
				i.propose(ctx, s, f)
			}
		}
		if touched.changes(filepath.Join(i.Dir.Workspace(), bd.Touched)) {
			i.unread.Send()
		}
		select {
		case <-w.Events:
		case <-w.Missed:
		case <-news:
		case <-ctx.Done():
		}
	}
}

// seenFile is the state of a file when it was last seen.
type seenFile struct{ os.FileInfo }

// changes reports whether the file at path has changed since, and remembers its state.
func (s *seenFile) changes(path string) bool {
	now, err := os.Lstat(path)
	if err != nil || s.FileInfo != nil && os.SameFile(s.FileInfo, now) && s.ModTime().Equal(now.ModTime()) && s.Size() == now.Size() {
		return false
	}
	s.FileInfo = now
	return true
}

// propose makes proposals of changes that people made to issues, and returns the ids of these issues. It does not repeat a
// proposal, even if that was removed from the list.
func (i *Issues) propose(ctx context.Context, s beads.Session, f *beads.File) (ids []string) {
	var was []byte
	if i.Info.Base != "" {
		var err error
		if was, err = i.Work.File(ctx, i.Info.Base, beads.Name); err != nil {
			i.Log.Warn("the issues that the voyage began with cannot be read", "error", err)
			return nil
		}
	}
	for _, w := range s.Wishes(f, beads.Read(was), i.Store.Snapshot().Tasks, time.Now()) {
		i.Propose(proposalOf(w))
		ids = append(ids, w.Issue)
	}
	return ids
}

// proposalOf returns the proposal for a change that people made to an issue.
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
	p.Text = clean.Bound(text, clean.MaxText)
	return p
}

// changedParts describes what an edit changes.
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
