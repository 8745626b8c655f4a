package edits

import (
	"fmt"
	"slices"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
)

// Reverted lists the tasks that are reverted with a task, the newest first, and the completed tasks that wait for it and stay. wholes are the
// ids of the tasks that consist of others.
func Reverted(snap tasks.Snapshot, id string, dependents bool, wholes []string) (all []*tasks.State, stay []string, err error) {
	t := snap.Task(id)
	switch {
	case t == nil:
		return nil, nil, api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: id})
	case t.Status != tasks.Completed || t.Cancelled:
		return nil, nil, api.Refused("task %s has no work on the branch: only what is completed can be reverted", id)
	case slices.Contains(wholes, t.ID):
		return nil, nil, api.Refused("task %s consists of others: revert one of those", id)
	}
	all = []*tasks.State{t}
	for i := 0; i < len(all); i++ {
		for _, next := range all[i].Blocks {
			d := snap.Task(next)
			if d == nil || d.Status != tasks.Completed || d.Cancelled || slices.Contains(wholes, next) || slices.Contains(all, d) || slices.Contains(stay, d.ID) {
				continue
			}
			if dependents {
				all = append(all, d)
			} else {
				stay = append(stay, d.ID)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *tasks.State) int { return b.CompletedAt.Compare(a.CompletedAt) })
	return all, stay, nil
}

// ByHand returns a task for an agent to revert another task's work by hand, since git cannot: later work has changed
// the same lines.
func ByHand(t *tasks.State, is api.Lookback, files []string, why string) tasks.Edit {
	var others []string
	for _, c := range is.Since {
		if len(c.Lines) > 0 {
			others = append(others, fmt.Sprintf("%s (task %s, %s)", strings.Join(c.Lines, ", "), c.Task, c.Commit))
		}
	}
	text := fmt.Sprintf("What commit %s of task %s (%s) changed is not wanted: it was %s.\n\ngit cannot take it back by itself, as the same lines were changed since, in %s. "+
		"Take back what that commit changed (git show %s), and leave in place what came after it.", t.Commit, t.ID, is.Subject, why, tasks.JoinIDs(CleanPaths(files)), t.Commit)
	if len(others) > 0 {
		text += "\n\nWho changed them: " + tasks.JoinIDs(others) + "."
	}
	return tasks.Edit{Subject: clean.Bound("Take back task "+t.ID+": "+is.Subject, 200), Description: text}
}

// CleanPaths makes paths fit to be shown, 20 at most.
func CleanPaths(paths []string) []string {
	const most = 20
	var all []string
	for _, p := range paths[:min(len(paths), most)] {
		all = append(all, clean.Line(p))
	}
	return all
}
