package voyage

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/edits"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// Edit changes a task at the captain's word, or adds a task.
func (v *Voyage) Edit(ctx context.Context, r api.EditRequest) (api.Edited, error) {
	if err := r.Edit.Check(); err != nil {
		return api.Edited{}, api.Refused("%v", err)
	}
	if err := v.roster.Afloat(); err != nil {
		return api.Edited{}, err
	}
	if r.Edit.Task == "" {
		return v.addTask(ctx, r.Edit)
	}
	t := v.store.Snapshot().Task(r.Edit.Task)
	if t == nil {
		return api.Edited{}, api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: r.Edit.Task})
	}
	e := r.Edit
	err := v.shipsToChoose().MayChoose(e, v.roleOf(t))
	if err == nil && v.info.Kind.TakesDispatches() {
		e, err = edits.OfDispatch(t, e)
	}
	if err != nil {
		return api.Edited{}, err
	}
	out, err := v.changeTask(ctx, e, "")
	if err != nil {
		return api.Edited{}, api.Refused("task %s stays as it is: %v", t.ID, v.hinders.OrAway(t.ID, err))
	}
	return out, nil
}

// addTask adds a task that workers claim.
func (v *Voyage) addTask(ctx context.Context, e tasks.Edit) (api.Edited, error) {
	if v.info.Kind.TakesDispatches() {
		return api.Edited{}, api.Refused("a pool has no list of tasks: give it what is to be done with ocaptain dispatch")
	}
	if err := v.shipsToChoose().MayChoose(e, fleet.Worker); err != nil {
		return api.Edited{}, err
	}
	added, err := v.as(rights.Captain).Add(ctx, []tasks.Task{e.NewTask(map[string]any{}, nil)})
	if err != nil {
		return api.Edited{}, api.Refused("%v", v.hinders.OrAway("", err))
	}
	return api.Edited{Task: added[0].ID}, nil
}

// changeTask changes a task, and tells the agent that works on it what is different, unless that agent's ship asked for the
// change.
func (v *Voyage) changeTask(ctx context.Context, e tasks.Edit, wanted string) (api.Edited, error) {
	was := v.store.Snapshot().Task(e.Task)
	if err := v.as(rights.Captain).Edit(ctx, e); err != nil {
		return api.Edited{}, err
	}
	out := api.Edited{Task: e.Task}
	is := v.store.Snapshot().Task(e.Task)
	text := edits.Difference(was, is)
	if text == "" || is.Status != tasks.InProgress || is.Owner == wanted || is.Owner == fleet.Coordinator {
		return out, nil
	}
	out.Worker = is.Owner
	out.Told = v.tellAgent(is.Owner, fmt.Sprintf("The captain changed task %s, which you work on%s. Go on with it as it is now.\n\n%s", is.ID, edits.Because(e.Reason), text))
	return out, nil
}

// roleOf is the role of ships that a task is for as long as it is not handed in, "" for any.
func (v *Voyage) roleOf(t *tasks.State) string {
	if t.InReview() {
		return ""
	}
	return reads(v, func() string { return v.look().RoleOf(t) })
}

// shipsToChoose are the ships that the captain may choose for a task.
func (v *Voyage) shipsToChoose() edits.Ships {
	s := edits.Ships{Voyage: &v.info}
	changes(v, func() {
		for _, f := range v.roster.Now().Ships {
			s.All = append(s.All, *f)
		}
	})
	return s
}

// freeChosen lets any ship do what only a ship that is gone was to do, or only an agent or a model that no ship has any more, and says so.
func (v *Voyage) freeChosen() {
	ships := v.shipsToChoose()
	for _, t := range v.store.Snapshot().Open() {
		e, chosen := ships.Free(t)
		if !chosen {
			continue
		}
		var no *tasks.Refusal
		if err := v.as(rights.Clock).Edit(context.WithoutCancel(v.ctx), e); err != nil && !errors.As(err, &no) {
			v.log.Error("task that waits for a ship which is gone", "task", t.ID, "error", err)
			continue
		}
		v.notes.Add(fleet.Note{Task: t.ID, Text: fmt.Sprintf("task %s can be done by any ship: %s", t.ID, e.Reason)})
	}
}
