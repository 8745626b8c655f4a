package voyage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// Edit changes a task at the captain's word, or adds a task.
func (v *Voyage) Edit(ctx context.Context, r api.EditRequest) (api.Edited, error) {
	if err := r.Edit.Check(); err != nil {
		return api.Edited{}, api.Refused("%v", err)
	}
	if err := v.afloat(); err != nil {
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
	err := v.mayChoose(e, v.roleOf(t))
	if err == nil && v.info.Kind.TakesDispatches() {
		e, err = ofDispatch(t, e)
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
	if err := v.mayChoose(e, fleet.Worker); err != nil {
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
	text := difference(was, is)
	if text == "" || is.Status != tasks.InProgress || is.Owner == wanted || is.Owner == fleet.Coordinator {
		return out, nil
	}
	out.Worker = is.Owner
	out.Told = v.tellAgent(is.Owner, fmt.Sprintf("The captain changed task %s, which you work on%s. Go on with it as it is now.\n\n%s", is.ID, because(e.Reason), text))
	return out, nil
}

// difference says what is different about a task for the agent that works on it, "" for nothing.
func difference(was, is *tasks.State) string {
	var all []string
	if was.Subject != is.Subject {
		all = append(all, "It is called: "+is.Subject)
	}
	if is.Verify() != was.Verify() && is.Verify() == "" {
		all = append(all, "It has no check any more.")
	} else if is.Verify() != was.Verify() {
		all = append(all, "Its check is: "+is.Verify())
	}
	if is.Run() != was.Run() && is.Run() != "" {
		all = append(all, "Its command is: "+is.Run())
	}
	if was.Description != is.Description {
		text := udiff.Unified("as it was", "as it is", was.Description+"\n", is.Description+"\n")
		if len(text) > maxText || was.Description == "" {
			text = is.Description
		}
		all = append(all, "Its description:\n"+clean.Bound(text, maxText))
	}
	return strings.Join(all, "\n")
}

// ofDispatch is an edit of a dispatch that no worker has begun: its description is the command.
func ofDispatch(t *tasks.State, e tasks.Edit) (tasks.Edit, error) {
	switch {
	case !t.OnHold && !t.IsQueued():
		return e, api.Refused("dispatch %s has begun: send its worker a message, or cancel it", t.ID)
	case len(e.Blocks)+len(e.BlockedBy)+len(e.Unblocks)+len(e.UnblockedBy) > 0:
		return e, api.Refused("dispatches wait for no other: of %s you can change the command, the priority and the worker", t.ID)
	case e.Verify != nil || e.Agent != nil || e.Model != nil || e.Subject != "" && e.Subject != t.Subject || e.Run != nil && *e.Run != t.Run():
		return e, api.Refused("of dispatch %s you can change the command, the priority and the worker", t.ID)
	}
	e.Worker, e.Ship = e.Ship, nil
	if e.Description != "" && e.Description != t.Description {
		d := t.Dispatch()
		d.Command = e.Description
		if err := d.Check(); err != nil {
			return e, api.Refused("%v", err)
		}
		e.Subject, e.Run = d.Task().Subject, &d.Command
	}
	return e, nil
}

// roleOf is the role of ships that a task is for as long as it is not handed in, "" for any.
func (v *Voyage) roleOf(t *tasks.State) string {
	if t.InReview() {
		return ""
	}
	return reads(v, func() string { return v.look().RoleOf(t) })
}

// mayChoose says why the ship or the agent that an edit chooses cannot do a task which is for ships of a role, nil when it can.
func (v *Voyage) mayChoose(e tasks.Edit, role string) error {
	ships := reads(v, func() []fleet.Ship {
		var all []fleet.Ship
		for _, f := range v.fleet.Ships {
			if f.Phase != fleet.Going && !f.Draining && (role == "" || f.Role == "" || f.Role == role) {
				all = append(all, *f)
			}
		}
		return all
	})
	var names, agents, models []string
	for i := range ships {
		names, agents = append(names, ships[i].Name), append(agents, ships[i].Agent)
		if model := v.info.ModelOf(&ships[i]); model != "" {
			models = append(models, model)
		}
	}
	slices.Sort(agents)
	slices.Sort(models)
	agents, models = slices.Compact(agents), slices.Compact(models)
	switch {
	case e.Ship != nil && *e.Ship != "" && !slices.Contains(names, *e.Ship):
		return api.Refused("no ship %s can do it; there are: %s", clean.Word(*e.Ship), joinFew(names))
	case e.Agent != nil && *e.Agent != "" && !slices.Contains(agents, *e.Agent):
		return api.Refused("no ship that can do it has agent %s; there are: %s; to add one: %s", clean.Word(*e.Agent), joinFew(agents), v.command("ship add --agent %s", clean.Word(*e.Agent)))
	case e.Model != nil && *e.Model != "" && !slices.Contains(models, *e.Model):
		return api.Refused("no ship that can do it has model %s; there are: %s; to add one: %s", clean.Word(*e.Model), cmp.Or(joinFew(models), "none that was chosen"), v.command("ship add --model %s", clean.Word(*e.Model)))
	}
	return nil
}

// freeChosen lets any ship do what only a ship that is gone was to do, or only an agent or a model that no ship has any more, and says so.
func (v *Voyage) freeChosen() {
	var nothing string
	for _, t := range v.store.Snapshot().Open() {
		e := tasks.Edit{Task: t.ID}
		if ship := t.OnlyShip(); ship != "" && v.mayChoose(tasks.Edit{Ship: &ship}, "") != nil {
			e.Ship = &nothing
		}
		if agent := t.OnlyAgent(); agent != "" && v.mayChoose(tasks.Edit{Agent: &agent}, "") != nil {
			e.Agent = &nothing
		}
		if model := t.OnlyModel(); model != "" && v.mayChoose(tasks.Edit{Model: &model}, "") != nil {
			e.Model = &nothing
		}
		if e.Ship == nil && e.Agent == nil && e.Model == nil {
			continue
		}
		e.Reason = "no ship is left that you chose for it"
		var no *tasks.Refusal
		if err := v.as(rights.Clock).Edit(context.WithoutCancel(v.ctx), e); err != nil && !errors.As(err, &no) {
			v.log.Error("task that waits for a ship which is gone", "task", t.ID, "error", err)
			continue
		}
		v.addNote(fleet.Note{Task: t.ID, Text: fmt.Sprintf("task %s can be done by any ship: %s", t.ID, e.Reason)})
	}
}
