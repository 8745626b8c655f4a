// Package edits decides how the captain may change tasks, and what agents are told about the changes. It uses no
// locks, files or clock.
package edits

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
)

// Because returns a reason in the form to append to a sentence, "" for none.
func Because(why string) string {
	if why = clean.Bound(why, clean.MaxText); why != "" {
		return ": " + why
	}
	return ""
}

// Difference describes how a task has changed, for the agent that works on it, "" for no change.
func Difference(was, is *tasks.State) string {
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
		if len(text) > clean.MaxText || was.Description == "" {
			text = is.Description
		}
		all = append(all, "Its description:\n"+clean.Bound(text, clean.MaxText))
	}
	return strings.Join(all, "\n")
}

// OfDispatch returns an edit of a dispatch, whose description is the command. It refuses the edit once a worker has
// begun.
func OfDispatch(t *tasks.State, e tasks.Edit) (tasks.Edit, error) {
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

// Ships are the ships of a voyage.
type Ships struct {
	Voyage *fleet.Voyage
	All    []fleet.Ship
}

// MayChoose says why the ship or the agent that an edit chooses cannot do a task which is for ships of a role, "" for any; nil when it can.
func (s Ships) MayChoose(e tasks.Edit, role string) error {
	var names, agents, models []string
	for i := range s.All {
		f := &s.All[i]
		if f.Phase == fleet.Going || f.Draining || role != "" && f.Role != "" && f.Role != role {
			continue
		}
		names, agents = append(names, f.Name), append(agents, f.Agent)
		if model := s.Voyage.ModelOf(f); model != "" {
			models = append(models, model)
		}
	}
	slices.Sort(agents)
	slices.Sort(models)
	agents, models = slices.Compact(agents), slices.Compact(models)
	add := func(option, is string) string {
		return fmt.Sprintf("ocaptain ship add --%s %s --voyage %s", option, clean.Word(is), s.Voyage.ID)
	}
	switch {
	case e.Ship != nil && *e.Ship != "" && !slices.Contains(names, *e.Ship):
		return api.Refused("no ship %s can do it; there are: %s", clean.Word(*e.Ship), tasks.JoinIDs(names))
	case e.Agent != nil && *e.Agent != "" && !slices.Contains(agents, *e.Agent):
		return api.Refused("no ship that can do it has agent %s; there are: %s; to add one: %s", clean.Word(*e.Agent), tasks.JoinIDs(agents), add("agent", *e.Agent))
	case e.Model != nil && *e.Model != "" && !slices.Contains(models, *e.Model):
		return api.Refused("no ship that can do it has model %s; there are: %s; to add one: %s", clean.Word(*e.Model), cmp.Or(tasks.JoinIDs(models), "none that was chosen"), add("model", *e.Model))
	}
	return nil
}

// Free returns an edit that lets any ship do a task which is restricted to a ship that is gone, or to an agent or a
// model that no ship has any more. chosen reports whether the task has such a restriction.
func (s Ships) Free(t *tasks.State) (e tasks.Edit, chosen bool) {
	var nothing string
	e = tasks.Edit{Task: t.ID, Reason: "no ship is left that you chose for it"}
	if ship := t.OnlyShip(); ship != "" && s.MayChoose(tasks.Edit{Ship: &ship}, "") != nil {
		e.Ship = &nothing
	}
	if agent := t.OnlyAgent(); agent != "" && s.MayChoose(tasks.Edit{Agent: &agent}, "") != nil {
		e.Agent = &nothing
	}
	if model := t.OnlyModel(); model != "" && s.MayChoose(tasks.Edit{Model: &model}, "") != nil {
		e.Model = &nothing
	}
	return e, e.Ship != nil || e.Agent != nil || e.Model != nil
}

// MaySplit returns why a task cannot be split, nil if it can. t is nil if there is no task id; whole says that the
// task consists of others.
func MaySplit(v *fleet.Voyage, t *tasks.State, id string, whole bool) error {
	switch {
	case t == nil:
		return api.NotFound("%v", &tasks.Refusal{Why: tasks.Unknown, Task: id})
	case v.Kind.TakesDispatches():
		return api.Refused("a dispatch is one piece of work: cancel it, and dispatch its parts")
	case t.Status == tasks.Completed:
		return api.Refused("task %s is completed already", t.ID)
	case t.InReview():
		return api.Refused("work on task %s is handed in: approve or reject it", t.ID)
	case t.Proposed > 0:
		return api.Refused("task %s is broken down already, and waits for your word: ocaptain diff %[1]s --voyage %s", t.ID, v.ID)
	case whole:
		return api.Refused("task %s consists of others already: split one of those, or add a task", t.ID)
	case t.Group() != "":
		return api.Refused("task %s is claimed together with the others of its group %s, and cannot be split", t.ID, t.Group())
	}
	return nil
}

// Decided returns the message about the captain's decision to the agent that proposed a change. task is the task that was added, cancelled or changed.
func Decided(p *fleet.Proposal, r api.ProposalRequest, task string) string {
	said := fmt.Sprintf("The captain rejected what you proposed (%s)", strings.Join(strings.Fields(clean.Bound(p.Text, 200)), " "))
	switch {
	case !r.Accept:
	case p.Cancel:
		said = fmt.Sprintf("The captain cancelled task %s, as you proposed", task)
	case p.Edit.Task == "":
		said = fmt.Sprintf("The captain added task %s, as you proposed: %s", task, p.Edit.Subject)
	default:
		said = fmt.Sprintf("The captain changed task %s, as you proposed", task)
	}
	return said + Because(r.Reason) + "."
}
