package captain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// Revert takes the work of a completed task off the branch, and reopens the task. Without the tasks that the captain agrees to, it only returns
// what it would do. After a crash in between, the branch says which tasks were reverted.
func (c *Captain) Revert(ctx context.Context, r api.RevertRequest) (api.Reverted, error) {
	if err := c.deciding.Lock(ctx); err != nil {
		return api.Reverted{}, err
	}
	defer c.deciding.Unlock()
	if err := c.Roster.Afloat(); err != nil {
		return api.Reverted{}, err
	}
	if c.Kind.Folder() != "" {
		return api.Reverted{}, api.Refused("work of a pool is on branches of its own, and nothing is to be taken back: delete the branch")
	}
	snap := c.Store.Snapshot()
	var wholes []string
	for _, p := range c.Kind.Parents(snap) {
		wholes = append(wholes, p.Task.ID)
	}
	all, stay, err := edits.Reverted(snap, r.Task, r.Dependents, wholes)
	if err != nil {
		return api.Reverted{}, err
	}
	out := api.Reverted{Stay: stay}
	var ids []string
	for _, t := range all {
		is, err := c.lookBack(ctx, t)
		if err != nil {
			return api.Reverted{}, c.Hinders.OrAway(t.ID, err)
		}
		out.Tasks, ids = append(out.Tasks, is), append(ids, t.ID)
	}
	if r.Tasks == nil {
		return out, nil
	}
	if !slices.Equal(ids, r.Tasks) {
		return api.Reverted{}, api.Refused("other tasks than you saw would be reverted with task %s: look again", r.Task)
	}
	if err := c.Claims.Merges.Lock(ctx); err != nil {
		return api.Reverted{}, err
	}
	defer c.Claims.Merges.Unlock()
	ctx = context.WithoutCancel(ctx)
	for i, t := range all {
		if out.ByHand, err = c.revertOne(ctx, t, out.Tasks[i], "reverted by the captain"+edits.Because(r.Why)); err != nil {
			return out, api.Refused("reverted: %s; task %s is not: %v", tasks.JoinIDs(ids[:i]), t.ID, c.Hinders.OrAway(t.ID, err))
		}
		if out.ByHand != "" {
			out.Tasks = out.Tasks[:i+1]
			break
		}
	}
	return out, nil
}

// lookBack returns what a task changed, and which commits changed the same files since.
func (c *Captain) lookBack(ctx context.Context, t *tasks.State) (api.Lookback, error) {
	is := api.Lookback{Task: t.ID, Subject: clean.Line(t.Subject), Commit: t.Commit}
	if t.Commit == "" {
		return is, nil
	}
	files, since, err := c.Work.Since(ctx, t.Commit)
	if err != nil {
		return is, err
	}
	of := map[string]string{}
	for _, o := range c.Store.Snapshot().Tasks {
		of[o.Commit] = o.ID
	}
	is.Files = len(files)
	for _, s := range since {
		is.Since = append(is.Since, api.ChangedSince{Task: of[s.Commit], Commit: s.Commit, Files: edits.CleanPaths(s.Files), Lines: edits.CleanPaths(s.Lines)})
	}
	return is, nil
}

// revertOne reverts a task, and reopens it. If the same lines were changed since, it adds a task for that, and returns the id of the added
// task. The caller has locked Merges.
func (c *Captain) revertOne(ctx context.Context, t *tasks.State, is api.Lookback, why string) (byHand string, err error) {
	if t.Commit != "" {
		_, err := c.Work.Revert(ctx, t.Commit, kind.Revert(c.Info.SessionID(), t, why))
		var clash *sync.Conflict
		if errors.As(err, &clash) {
			return c.revertByHand(ctx, t, is, clash, why)
		}
		if err != nil {
			return "", err
		}
		c.Claims.HeadMoved()
	}
	c.Notes.Add(fleet.Note{Task: t.ID, Text: fmt.Sprintf("task %s is %s", t.ID, why)})
	return "", c.Claims.Reopen(ctx, rights.Captain, t, why)
}

// revertByHand adds a task that reverts what git cannot, and reopens the reverted task, which waits for it.
func (c *Captain) revertByHand(ctx context.Context, t *tasks.State, is api.Lookback, clash *sync.Conflict, why string) (string, error) {
	e := edits.ByHand(t, is, clash.Paths, why)
	c.parents.Lock()
	defer c.parents.Unlock()
	c.Claims.Grants.Lock() // no ship claims the task before it waits
	defer c.Claims.Grants.Unlock()
	added, err := c.As(rights.Captain).Add(ctx, []tasks.Task{e.NewTask(map[string]any{}, c.Store.Snapshot().Task(t.Parent()))})
	if err != nil {
		return "", err
	}
	if err := c.Claims.Reopen(ctx, rights.Captain, t, why); err != nil {
		return "", err
	}
	c.Notes.Add(fleet.Note{Task: t.ID, Text: fmt.Sprintf("task %s is %s: the same lines were changed since, so task %s takes its work back", t.ID, why, added[0].ID)})
	return added[0].ID, c.As(rights.Captain).Edit(ctx, tasks.Edit{Task: t.ID, BlockedBy: []string{added[0].ID}, Reason: why})
}
