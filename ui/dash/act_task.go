package dash

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/ontask"
	"ocaptain/ui/dash/logpane"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/taskpane"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/words"
)

// onTasks returns an action on the pane of tasks.
func onTasks(do func(*taskpane.Pane)) action {
	return func(m *Model) cmd {
		do(m.v.Tasks)
		return nil
	}
}

// openBlockers shows what keeps the selected task from being ready.
func (m *Model) openBlockers() cmd {
	m.v.Tasks.ShowBlockers(m.selectedTask().ID)
	return nil
}

// shipOfTask selects the ship that holds the task.
func (m *Model) shipOfTask() cmd {
	m.showShip(m.selectedTask().Owner)
	return nil
}

// onTask returns an action on the selected task.
func onTask(do func(d *act.Deck, t *tasks.State) cmd) action {
	return func(m *Model) cmd {
		t := *m.selectedTask()
		return do(m.deck(), &t)
	}
}

// onTaskID returns an action on the selected task that needs only its id.
func onTaskID(do func(d *act.Deck, id string) cmd) action {
	return func(m *Model) cmd { return do(m.deck(), m.selectedTask().ID) }
}

// openDiff shows what the selected task or ship has changed.
func (m *Model) openDiff() cmd {
	if m.focus == screen.Tasks {
		t := m.selectedTask()
		if s := m.v.Board.SteeringOf(t.ID); t.Status == tasks.InProgress && !t.InReview() && (s == nil || s.Word != fleet.Waits) {
			return m.loadDiff(t.Owner) // the task is not merged yet: show its owner's changes
		}
		return m.loadDiff(t.ID)
	}
	return m.loadDiff(m.shipName())
}

// copySelection copies what is selected in the focused pane to the clipboard.
func (m *Model) copySelection() cmd {
	text, what := m.selection().Copied()
	if m.focus == screen.Logs {
		text, _ = m.v.Logs.Selected()
		what = "the line"
	}
	if text == "" {
		return m.say(toast.Warn, "nothing is selected")
	}
	said := what + " is copied"
	if m.env("TMUX") != "" {
		said += "; tmux must allow it: set -g set-clipboard on"
	}
	return tea.Batch(tea.SetClipboard(clean.Text(text)), m.say(toast.Good, said))
}

// onLogs returns an action on the pane of logs.
func onLogs(do func(*logpane.Pane)) action {
	return func(m *Model) cmd {
		do(m.v.Logs)
		return nil
	}
}

// role shows the logs of the ships with one role, or all logs for "".
func role(name string) action { return onLogs(func(p *logpane.Pane) { p.SetRole(name) }) }

func (m *Model) markLog() cmd { m.v.Logs.AddMark(m.now); return nil }

// saveLogs writes the logs as they are filtered to a file in the current directory.
func (m *Model) saveLogs() cmd {
	dir, stamp := m.o.Yard.Cwd, m.now.Format("20060102-150405")
	if dir == "" {
		dir = m.o.Hub.Home
	}
	path := strings.TrimSuffix(dir, "/") + "/ocaptain-" + strings.TrimPrefix(m.v.Dir.ID(), "voyage-") + "-" + stamp + ".log"
	save := m.v.Logs.Save(m.v.Dir, path)
	return m.jobs.Run("save logs", func(ctx context.Context, _ func(api.Progress)) error {
		saved, err := save(ctx)
		if err == nil {
			m.news.Send(ctx, act.Then(func() cmd { return m.say(toast.Good, words.Counted(saved.Lines, "line")+" in "+saved.Path) }))
		}
		return err
	})
}

// takeTask takes the work of the selected task into the checkout in which the dashboard was started.
func (m *Model) takeTask() cmd { return m.desk.Take(m.v.Dir, m.v.Board, m.selectedTask().ID) }

// takeVoyage does the same for the work of the whole voyage.
func (m *Model) takeVoyage() cmd { return m.desk.Take(m.v.Dir, m.v.Board, "") }

// nextOrNew goes to the next hit while tasks are filtered, and otherwise asks for a new epic or task.
func (m *Model) nextOrNew() cmd {
	switch {
	case m.v.Tasks.Filter() != "":
		return hit(1)(m)
	case m.v.Board.Voyage.Kind.TakesEpics():
		return ontask.NewEpic(m.deck())
	}
	return ontask.New(m.deck())
}
