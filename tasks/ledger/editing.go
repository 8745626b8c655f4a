package ledger

import (
	"fmt"
	"reflect"
	"slices"

	"ocaptain/tasks"
)

// Edit judges an edit. The change is nil when the edit changes nothing.
func (l *Ledger) Edit(edit tasks.Edit) (*Change, error) {
	e := l.Entries[edit.Task]
	if e == nil {
		return nil, &tasks.Refusal{Why: tasks.Unknown, Task: edit.Task}
	}
	s := e.State
	if s.Status == tasks.Completed {
		return nil, &tasks.Refusal{Why: tasks.Done, Task: s.ID, Owner: s.Owner}
	}
	c := &Change{
		Kind: edited, Task: s.ID, By: edit.By, Reason: edit.Reason,
		Blocks: without(edit.Blocks, s.Blocks), BlockedBy: without(edit.BlockedBy, s.BlockedBy),
		Unblocks: common(edit.Unblocks, s.Blocks), UnblockedBy: common(edit.UnblockedBy, s.BlockedBy),
	}
	if edit.Subject != s.Subject {
		c.Subject = edit.Subject
	}
	if edit.Description != s.Description {
		c.Description = edit.Description
	}
	if set := edit.Metadata(); len(set) > 0 && !reflect.DeepEqual(tasks.MergeMetadata(s.Metadata, set), tasks.MergeMetadata(s.Metadata, nil)) {
		c.Metadata = set
	}
	if c.Subject == "" && c.Description == "" && len(c.Blocks)+len(c.BlockedBy)+len(c.Unblocks)+len(c.UnblockedBy)+len(c.Metadata) == 0 {
		return nil, nil
	}
	if _, err := normal(tasks.Task{ID: s.ID, Subject: c.Subject, Description: c.Description, Status: tasks.Pending, Metadata: c.Metadata}); err != nil {
		return nil, err
	}
	if len(c.BlockedBy) > 0 && (s.Status != tasks.Pending || s.HandIn != nil) {
		return nil, fmt.Errorf("task %s cannot wait for others any more: %s has begun it", s.ID, ownerOf(s))
	}
	for _, id := range c.Blocks {
		if b := l.Entries[id]; b != nil && b.State.HandIn != nil {
			return nil, fmt.Errorf("task %s cannot wait for others any more: %s has begun it", id, ownerOf(b.State))
		}
	}
	return c, l.checkEdges([]tasks.Task{c.edges()}, c)
}

// ownerOf returns the owner who works on a task, or who has handed in work on it.
func ownerOf(s *tasks.State) string {
	if s.HandIn != nil {
		return s.HandIn.Owner
	}
	return s.Owner
}

// edges returns a task with only the dependencies that the change adds.
func (c *Change) edges() tasks.Task {
	return tasks.Task{ID: c.Task, Blocks: c.Blocks, BlockedBy: c.BlockedBy}
}

// without returns the ids of all that old lacks, each once.
func without(all, old []string) []string {
	return slices.DeleteFunc(unique(slices.Clone(all)), func(id string) bool { return slices.Contains(old, id) })
}

// common returns the ids that are in both lists, each once.
func common(all, old []string) []string {
	return slices.DeleteFunc(unique(slices.Clone(all)), func(id string) bool { return !slices.Contains(old, id) })
}

// cuts reports whether the change removes the dependency of task after on task before.
func (c *Change) cuts(before, after string) bool {
	return c != nil && (c.Task == before && slices.Contains(c.Unblocks, after) || c.Task == after && slices.Contains(c.UnblockedBy, before))
}

func (l *Ledger) applyEdit(e *Entry, c *Change) {
	l.change(e, func(s *tasks.State) {
		if c.Subject != "" {
			s.Subject = c.Subject
		}
		if c.Description != "" {
			s.Description = c.Description
		}
		if len(c.Metadata) > 0 {
			s.Metadata = tasks.MergeMetadata(s.Metadata, c.Metadata)
		}
	})
	// A restatement writes Origin, so Origin needs the new dependencies.
	e.Origin.Blocks, e.Origin.BlockedBy = slices.Concat(e.Origin.Blocks, c.Blocks), slices.Concat(e.Origin.BlockedBy, c.BlockedBy)
	start := len(l.changed)
	for _, id := range c.UnblockedBy {
		l.cutDependency(l.Entries[id], e)
	}
	for _, id := range c.Unblocks {
		l.cutDependency(e, l.Entries[id])
	}
	for _, id := range c.BlockedBy {
		l.addDependency(l.Entries[id], e)
	}
	for _, id := range c.Blocks {
		l.addDependency(e, l.Entries[id])
	}
	l.rank(start)
}
