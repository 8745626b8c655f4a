package voyage

import (
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
)

// namesDropped tells the captain which completed tasks have no work on the branch any more, each once: a reset or a rebase in
// the workspace takes it away without a word.
func (v *Voyage) namesDropped() {
	if v.Kind.Folder() != "" {
		return // each work has a branch of its own
	}
	commits := map[string]string{}
	for _, t := range v.Store.Snapshot().Tasks {
		if t.Status == tasks.Completed && t.Commit != "" {
			commits[t.ID] = t.Commit
		}
	}
	if len(commits) == 0 {
		return
	}
	gone, err := v.Work.Dropped(v.Context, kind.TrailerTask, commits)
	if err != nil {
		v.Log.Warn("dropped tasks", "error", err)
		return
	}
	changes(v, func() {
		for _, id := range gone {
			if v.dropped[id] == commits[id] {
				continue
			}
			v.dropped[id] = commits[id]
			v.Notes.Add(fleet.Note{Task: id, Text: fmt.Sprintf(
				"task %s is completed, but its work is not on branch %s any more: the branch was reset or rewritten; to have it back: git cherry-pick %.12s", id, v.Info.Branch, commits[id])})
		}
	})
}

// headMoved notes where the branch is after a checkout or a merge, and what is missing there when it was not only added to.
func (v *Voyage) headMoved(commit string) {
	if v.Kind.Folder() != "" {
		return // the branch stays where it is
	}
	was := reads(v, func() string { return v.head })
	v.setHead(commit)
	if was == commit {
		return
	}
	if grown, err := v.Work.Holds(v.Context, commit, was); err == nil && !grown {
		v.namesDropped()
	}
}
