package voyage

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

// Revert takes the work of a completed task off the branch, and reopens the task. Without the tasks that the captain agrees to it tells what
// it would do. A crash in between leaves no task half reverted: the branch tells which were.
func (v *Voyage) Revert(ctx context.Context, r api.RevertRequest) (api.Reverted, error) {
	if err := v.deciding.Lock(ctx); err != nil {
		return api.Reverted{}, err
	}
	defer v.deciding.Unlock()
	if err := v.roster.Afloat(); err != nil {
		return api.Reverted{}, err
	}
	if v.kind.Folder() != "" {
		return api.Reverted{}, api.Refused("work of a pool is on branches of its own, and nothing is to be taken back: delete the branch")
	}
	snap := v.store.Snapshot()
	var wholes []string
	for _, p := range v.kind.Parents(snap) {
		wholes = append(wholes, p.Task.ID)
	}
	all, stay, err := edits.Reverted(snap, r.Task, r.Dependents, wholes)
	if err != nil {
		return api.Reverted{}, err
	}
	out := api.Reverted{Stay: stay}
	var ids []string
	for _, t := range all {
		is, err := v.lookBack(ctx, t)
		if err != nil {
			return api.Reverted{}, v.hinders.OrAway(t.ID, err)
		}
		out.Tasks, ids = append(out.Tasks, is), append(ids, t.ID)
	}
	if r.Tasks == nil {
		return out, nil
	}
	if !slices.Equal(ids, r.Tasks) {
		return api.Reverted{}, api.Refused("other tasks than you saw would be reverted with task %s: look again", r.Task)
	}
	if err := v.merges.Lock(ctx); err != nil {
		return api.Reverted{}, err
	}
	defer v.merges.Unlock()
	ctx = context.WithoutCancel(ctx)
	for i, t := range all {
		if out.ByHand, err = v.revertOne(ctx, t, out.Tasks[i], "reverted by the captain"+edits.Because(r.Why)); err != nil {
			return out, api.Refused("reverted: %s; task %s is not: %v", tasks.JoinIDs(ids[:i]), t.ID, v.hinders.OrAway(t.ID, err))
		}
		if out.ByHand != "" {
			out.Tasks = out.Tasks[:i+1]
			break
		}
	}
	return out, nil
}

// lookBack tells what a task changed, and who changed the same since.
func (v *Voyage) lookBack(ctx context.Context, t *tasks.State) (api.Lookback, error) {
	is := api.Lookback{Task: t.ID, Subject: clean.Line(t.Subject), Commit: t.Commit}
	if t.Commit == "" {
		return is, nil
	}
	files, since, err := v.work.Since(ctx, t.Commit)
	if err != nil {
		return is, err
	}
	of := map[string]string{}
	for _, o := range v.store.Snapshot().Tasks {
		of[o.Commit] = o.ID
	}
	is.Files = len(files)
	for _, c := range since {
		is.Since = append(is.Since, api.ChangedSince{Task: of[c.Commit], Commit: c.Commit, Files: edits.CleanPaths(c.Files), Lines: edits.CleanPaths(c.Lines)})
	}
	return is, nil
}

// revertOne reverts a task, and reopens it. Where the same lines were changed since, it adds a task by which that is done, and returns that
// task. The caller has locked merges.
func (v *Voyage) revertOne(ctx context.Context, t *tasks.State, is api.Lookback, why string) (byHand string, err error) {
	if t.Commit != "" {
		m, err := v.work.Revert(ctx, t.Commit, kind.Revert(v.dir.ID(), t, why))
		var clash *sync.Conflict
		if errors.As(err, &clash) {
			return v.revertByHand(ctx, t, is, clash, why)
		}
		if err != nil {
			return "", err
		}
		v.headMoved(m.Commit)
	}
	v.notes.Add(fleet.Note{Task: t.ID, Text: fmt.Sprintf("task %s is %s", t.ID, why)})
	return "", v.reopen(ctx, rights.Captain, t, why)
}

// reopen makes a task open again, with all that it is a part of.
func (v *Voyage) reopen(ctx context.Context, by rights.Actor, t *tasks.State, why string) error {
	changes(v, func() { v.failures.ForgetAll(t.ID) })
	if err := v.as(by).Reopen(ctx, tasks.Reopen{Task: t.ID, Epoch: t.Epoch, Reason: why}); err != nil {
		return err
	}
	for parent := v.store.Snapshot().Task(t.Parent()); parent != nil && parent.Status == tasks.Completed; parent = v.store.Snapshot().Task(parent.Parent()) {
		if err := v.as(by).Reopen(ctx, tasks.Reopen{Task: parent.ID, Epoch: parent.Epoch, Reason: fmt.Sprintf("task %s, a part of it, is %s", t.ID, why)}); err != nil {
			return err
		}
	}
	return nil
}

// revertByHand adds a task that takes back what git cannot. The task that is reverted is open again, and waits for it.
func (v *Voyage) revertByHand(ctx context.Context, t *tasks.State, is api.Lookback, clash *sync.Conflict, why string) (string, error) {
	e := edits.ByHand(t, is, clash.Paths, why)
	v.parents.Lock()
	defer v.parents.Unlock()
	v.grants.Lock() // no ship claims the task before it waits
	defer v.grants.Unlock()
	added, err := v.as(rights.Captain).Add(ctx, []tasks.Task{e.NewTask(map[string]any{}, v.store.Snapshot().Task(t.Parent()))})
	if err != nil {
		return "", err
	}
	if err := v.reopen(ctx, rights.Captain, t, why); err != nil {
		return "", err
	}
	v.notes.Add(fleet.Note{Task: t.ID, Text: fmt.Sprintf("task %s is %s: the same lines were changed since, so task %s takes its work back", t.ID, why, added[0].ID)})
	return added[0].ID, v.as(rights.Captain).Edit(ctx, tasks.Edit{Task: t.ID, BlockedBy: []string{added[0].ID}, Reason: why})
}

// reopenReverted reopens the tasks of claims whose work was taken back, where helm ended before it had.
func (v *Voyage) reopenReverted(claims map[string]bool) error {
	for _, t := range v.store.Snapshot().Tasks {
		if t.Status == tasks.Completed && claims[tasks.ClaimID(t.ID, t.Epoch)] {
			if err := v.reopen(v.ctx, rights.Clock, t, "reverted by the captain"); err != nil {
				return err
			}
		}
	}
	return nil
}
