package claims

import (
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// Head returns where the branch is.
func (c *Claims) Head() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.head
}

// SetHead records where the branch is.
func (c *Claims) SetHead(commit string) {
	c.mu.Lock()
	c.head = commit
	c.mu.Unlock()
	c.Paint.Send()
}

// HeadMoved records where the branch is, after a checkout or a merge. It asks the branch, since checkouts and merges end in any
// order. If the branch has lost commits since the last time, HeadMoved tells the captain which tasks' work is missing.
func (c *Claims) HeadMoved() {
	if c.Kind.Folder() != "" {
		return // each piece of work has a branch of its own
	}
	c.moving.Lock()
	defer c.moving.Unlock()
	head, err := c.Work.Head(c.Context)
	was := c.Head()
	if err != nil || head == was {
		return
	}
	c.SetHead(head)
	if grown, err := c.Work.Holds(c.Context, head, was); err == nil && !grown {
		c.NameDropped()
	}
}

// NameDropped tells the captain which completed tasks have no work on the branch any more, each once: a reset or a rebase in the
// workspace may have dropped it.
func (c *Claims) NameDropped() {
	if c.Kind.Folder() != "" {
		return // each work has a branch of its own
	}
	commits := map[string]string{}
	for _, t := range c.Store.Snapshot().Tasks {
		if t.Status == tasks.Completed && t.Commit != "" {
			commits[t.ID] = t.Commit
		}
	}
	if len(commits) == 0 {
		return
	}
	gone, err := c.Work.Dropped(c.Context, kind.TrailerTask, commits)
	if err != nil {
		c.Log.Warn("dropped tasks", "error", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range gone {
		if c.dropped[id] == commits[id] {
			continue
		}
		c.dropped[id] = commits[id]
		c.Notes.Add(fleet.Note{Task: id, Text: fmt.Sprintf(
			"task %s is completed, but its work is not on branch %s any more: the branch was reset or rewritten; to have it back: git cherry-pick %.12s", id, c.Info.Branch, commits[id])})
	}
}

// Flag tells the captain of merged work that steers agents. t is the task as it was when the ship that did the work
// held it.
func (c *Claims) Flag(t *tasks.State, m sync.Merged) {
	if is, ok := c.Steering.Of(t); ok && m.Steering != nil && is.Word == fleet.Flagged {
		c.Notes.Add(fleet.Note{Ship: t.Owner, Task: t.ID, Text: fmt.Sprintf("changed files that steer agents: %s; look with %s", is.FilesText(), c.Dir.Command("diff %s", t.ID))})
	}
}

// OwnCommit returns the commit of merged work. It is "" for work that changes nothing, since such a merge makes no
// commit.
func OwnCommit(m sync.Merged) string {
	if m.Changed == 0 {
		return ""
	}
	return m.Commit
}

// History lists the commits that tell of the voyage's completions.
func (c *Claims) History() ([]sync.Commit, error) {
	keys := []string{kind.TrailerTask, kind.TrailerShip, kind.TrailerClaim, kind.TrailerReverts}
	if folder := c.Kind.Folder(); folder != "" {
		return c.Work.HistoryUnder(c.Context, folder, keys...)
	}
	return c.Work.History(c.Context, keys...)
}
