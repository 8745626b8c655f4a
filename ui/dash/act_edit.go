package dash

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

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

// noOpenTask says why the selected task cannot be changed, "" when it can.
func (m *Model) noOpenTask() string {
	t := m.selectedTask()
	switch {
	case t == nil:
		return "no task is selected"
	case t.Status == tasks.Completed:
		return "task " + clean.Line(t.ID) + " is completed"
	}
	return ""
}

// editTask opens the selected task in the captain's editor, or as a text on the screen when no editor is configured.
func (m *Model) editTask() cmd {
	t := *m.selectedTask()
	text := taskfile.Text(&t)
	if m.env("VISUAL") == "" && m.env("EDITOR") == "" {
		m.showText(&t, string(text), "")
		return nil
	}
	draft, err := editor.NewDraft("task-"+t.ID+".yaml", text)
	if err != nil {
		return m.say(toast.Bad, err.Error())
	}
	return m.runEditor(draft, edited(&t, draft))
}

// edited changes the task to the content of its draft, once the captain has left the editor.
func edited(t *tasks.State, draft editor.Draft) func(*Model, error) cmd {
	return func(m *Model, err error) cmd {
		raw, e := draft.Read(taskfile.MaxText)
		if err := errors.Join(err, e); err != nil {
			return m.say(toast.Bad, "task "+t.ID+" stays as it is: "+err.Error()+"; your text is in "+draft.Path)
		}
		draft.Remove()
		return m.changeTask(t, string(raw))
	}
}

// runEditor gives the terminal to the captain's editor on a draft, and calls left when the editor ends.
func (m *Model) runEditor(draft editor.Draft, left func(*Model, error) cmd) cmd {
	c, err := editor.Command(m.o.Environ, draft.Path)
	if err != nil {
		draft.Remove()
		return m.say(toast.Bad, err.Error())
	}
	m.visits.away = true
	return tea.ExecProcess(c, func(err error) tea.Msg {
		return result(func(m *Model) cmd {
			m.visits.away = false
			return left(m, err)
		})
	})
}

// showText shows a task as a text to be changed, and what is wrong with that text, "" for nothing.
func (m *Model) showText(t *tasks.State, text, wrong string) {
	title := "Task " + clean.Line(t.ID)
	if wrong != "" {
		title += ": " + clean.Line(wrong)
	}
	what := "text of task " + t.ID
	m.write(what, dialog.NewEdit(title, text, m.sent(what, func(text string) tea.Cmd { return m.changeTask(t, text) })))
}

// changeTask has helm make the captain's changes of a task. It shows a text that cannot be parsed again.
func (m *Model) changeTask(t *tasks.State, text string) cmd {
	e, err := taskfile.Parse([]byte(text), t)
	switch {
	case err != nil:
		m.showText(t, text, err.Error())
		return nil
	case e == nil:
		return m.say(toast.Good, "task "+t.ID+" stays as it is")
	}
	return m.edit("change task "+clean.Line(t.ID), *e)
}

// edit has helm change a task, or add one.
func (m *Model) edit(what string, e tasks.Edit) cmd {
	if m.client == nil {
		return m.noHelm(what)
	}
	client, voyage := m.client, m.v.dir.ID()
	return m.job(what, func(ctx context.Context, _ func(api.Progress)) (act.Ending, error) {
		done, err := client.Edit(ctx, voyage, api.EditRequest{Edit: e})
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

// newTask asks for a new task of a voyage with a plan.
func (m *Model) newTask() cmd {
	m.compose("a new task", "New task", "what it is called; below that, what is to be done", func(text string) tea.Cmd {
		subject, description, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if description = strings.TrimSpace(description); description == "" {
			description = subject
		}
		e := tasks.Edit{Subject: strings.TrimSpace(subject), Description: description}
		if err := e.Check(); err != nil {
			return m.say(toast.Bad, err.Error())
		}
		return m.edit("add a task", e)
	})
	return nil
}

// splitTask asks for the parts of the selected task.
func (m *Model) splitTask() cmd {
	t := *m.selectedTask()
	m.compose("split of "+t.ID, "Split task "+clean.Line(t.ID), "one part a line; > before a part that waits for the line above", func(text string) tea.Cmd {
		parts, err := tasks.SplitText(text)
		if err != nil {
			return m.say(toast.Bad, err.Error())
		}
		if m.client == nil {
			return m.noHelm("split task " + clean.Line(t.ID))
		}
		client, voyage := m.client, m.v.dir.ID()
		return m.job("split task "+clean.Line(t.ID), func(ctx context.Context, _ func(api.Progress)) (act.Ending, error) {
			out, err := client.Split(ctx, voyage, api.SplitRequest{Task: t.ID, Tasks: parts})
			if out.Ship != "" {
				return act.Ending{Text: clean.Line(out.Ship) + " was interrupted", Well: true}, err
			}
			return act.Ending{Text: words.Counted(len(out.Tasks), "task"), Well: true}, err
		})
	})
	return nil
}

func (m *Model) nothingToHold() string {
	if t := m.selectedTask(); t != nil && t.InReview() {
		return "work on task " + clean.Line(t.ID) + " is handed in: approve or reject it"
	}
	return m.noOpenTask()
}

// holdOrRelease puts the selected task on hold, or releases it.
func (m *Model) holdOrRelease() cmd {
	t := *m.selectedTask()
	voyage := m.v.dir.ID()
	switch {
	case t.OnHold:
		return m.requeueTasks(voyage, t.ID)
	case t.Status == tasks.InProgress:
		m.show(dialog.NewConfirm("Take task "+clean.Line(t.ID)+" from "+clean.Line(t.Owner)+"?", []string{"Nobody gets it until you release it.", "What " + clean.Line(t.Owner) + " has not merged of it is kept on a ref."}, "",
			func() tea.Cmd { return m.hold(voyage, t.ID) }))
		return nil
	}
	return m.hold(voyage, t.ID)
}

func (m *Model) hold(voyage, id string) cmd {
	client := m.client
	return m.do("hold task "+clean.Line(id), func(ctx context.Context, _ func(api.Progress)) error {
		_, err := client.Requeue(ctx, voyage, api.RequeueRequest{Task: id, Hold: true})
		return err
	})
}

// dropTask cancels the selected task, with all tasks that wait for it.
func (m *Model) dropTask() cmd {
	t, voyage := *m.selectedTask(), m.v.dir.ID()
	all, more := m.v.board.CancelledWith(t.ID)
	client := m.client
	m.show(dialog.NewConfirm("Cancel "+words.Counted(max(1, len(all)), "task")+"?", append(more, "What is done of it is kept on a ref, and is not merged."), clean.Line(t.ID), func() tea.Cmd {
		return m.do("cancel task "+clean.Line(t.ID), func(ctx context.Context, _ func(api.Progress)) error {
			return client.Cancel(ctx, voyage, api.CancelRequest{Task: t.ID, Tasks: all})
		})
	}))
	return nil
}
