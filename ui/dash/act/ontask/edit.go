package ontask

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/editor"
	"ocaptain/ui/taskfile"
	"ocaptain/ui/words"
)

// New asks for a new task of a voyage with a plan.
func New(d *act.Deck) tea.Cmd {
	d.Compose("a new task", "New task", "what it is called; below that, what is to be done", func(text string) tea.Cmd {
		subject, description, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if description = strings.TrimSpace(description); description == "" {
			description = subject
		}
		e := tasks.Edit{Subject: strings.TrimSpace(subject), Description: description}
		if err := e.Check(); err != nil {
			return d.Say(toast.Bad, err.Error())
		}
		return edit(d, "add a task", e)
	})
	return nil
}

// Split asks for the parts of a task.
func Split(d *act.Deck, id string) tea.Cmd {
	d.Compose("split of "+id, "Split task "+clean.Line(id), "one part a line; > before a part that waits for the line above", func(text string) tea.Cmd {
		parts, err := tasks.SplitText(text)
		if err != nil {
			return d.Say(toast.Bad, err.Error())
		}
		return d.Run("split task "+clean.Line(id), func(ctx context.Context, client *api.Client, _ func(api.Progress)) (act.Ending, error) {
			out, err := client.Split(ctx, d.Voyage, api.SplitRequest{Task: id, Tasks: parts})
			if out.Ship != "" {
				return act.Ending{Text: clean.Line(out.Ship) + " was interrupted", Well: true}, err
			}
			return act.Ending{Text: words.Counted(len(out.Tasks), "task"), Well: true}, err
		})
	})
	return nil
}

// Edit shows a task as a text to be changed.
func Edit(d *act.Deck, t tasks.State) tea.Cmd {
	showText(d, &t, string(taskfile.Text(&t)), "")
	return nil
}

// Edited changes a task to the content of its draft. err says why the captain's editor failed, nil when it did not.
func Edited(d *act.Deck, t tasks.State, draft editor.Draft, err error) tea.Cmd {
	raw, e := draft.Read(taskfile.MaxText)
	if err := errors.Join(err, e); err != nil {
		return d.Say(toast.Bad, "task "+t.ID+" stays as it is: "+err.Error()+"; your text is in "+draft.Path)
	}
	draft.Remove()
	return change(d, &t, string(raw))
}

// showText shows a task as a text to be changed, and what is wrong with that text, "" for nothing.
func showText(d *act.Deck, t *tasks.State, text, wrong string) {
	title := "Task " + clean.Line(t.ID)
	if wrong != "" {
		title += ": " + clean.Line(wrong)
	}
	d.Edit("text of task "+t.ID, title, text, func(text string) tea.Cmd { return change(d, t, text) })
}

// change has helm make the captain's changes of a task. It shows a text that cannot be parsed again.
func change(d *act.Deck, t *tasks.State, text string) tea.Cmd {
	e, err := taskfile.Parse([]byte(text), t)
	switch {
	case err != nil:
		showText(d, t, text, err.Error())
		return nil
	case e == nil:
		return d.Say(toast.Good, "task "+t.ID+" stays as it is")
	}
	return edit(d, "change task "+clean.Line(t.ID), *e)
}

// edit has helm change a task, or add one.
func edit(d *act.Deck, what string, e tasks.Edit) tea.Cmd {
	return d.Run(what, func(ctx context.Context, client *api.Client, _ func(api.Progress)) (act.Ending, error) {
		done, err := client.Edit(ctx, d.Voyage, api.EditRequest{Edit: e})
		switch {
		case e.Task == "":
			return act.Ending{Text: "it is task " + clean.Line(done.Task), Well: true}, err
		case done.Told:
			return act.Ending{Text: clean.Line(done.Worker) + " is told", Well: true}, err
		case done.Worker != "":
			return act.Ending{Text: clean.Line(done.Worker) + " works on it and cannot be told: R has it begun again"}, err
		}
		return act.Ending{}, err
	})
}

// epicDraft is the purpose of a text that becomes an epic.
const epicDraft = "an epic"

const wish = "what do you want? A planner breaks it down into tasks"

// NewEpic asks what the session should do next.
func NewEpic(d *act.Deck) tea.Cmd {
	d.Compose(epicDraft, "New epic", wish, func(text string) tea.Cmd { return addEpic(d, text) })
	return nil
}

// MessageCoordinator asks for an epic from a captain who writes a message, and for a confirmation, as the captain may not
// expect that work begins.
func MessageCoordinator(d *act.Deck) tea.Cmd {
	d.Compose(epicDraft, "Message to "+fleet.Coordinator, wish, func(text string) tea.Cmd {
		d.Show(dialog.NewConfirm("Make this an epic?", []string{"“" + words.FirstLine(clean.Text(text)) + "”", "A planner breaks it down, and workers begin."}, "",
			func() tea.Cmd { return addEpic(d, text) }))
		return nil
	})
	return nil
}

// usualPriority is the priority of an epic without one, from 0 to 4.
const usualPriority = 2

// addEpic gives an epic to the session.
func addEpic(d *act.Deck, text string) tea.Cmd {
	return d.Run("add an epic", func(ctx context.Context, client *api.Client, _ func(api.Progress)) (act.Ending, error) {
		added, err := client.AddEpic(ctx, d.Voyage, api.EpicRequest{Text: text, Priority: usualPriority})
		return act.Ending{Text: "it is task " + clean.Line(added.Task), Well: true}, err
	})
}
