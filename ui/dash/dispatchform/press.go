package dispatchform

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/form"
	"ocaptain/ui/launch/problem"
)

// handleKey handles a key.
func (f *Form) handleKey(key tea.KeyPressMsg) (bool, tea.Cmd) {
	k := key.String()
	switch k {
	case "esc", "ctrl+c":
		f.stop()
		return true, nil
	case "ctrl+s", "ctrl+enter":
		return false, f.submit()
	case "tab":
		f.move(1)
		return false, nil
	case "shift+tab":
		f.move(-1)
		return false, nil
	}
	if f.at == atCommand {
		return false, f.edit(key)
	}
	switch k {
	case "up":
		f.move(-1)
		return false, nil
	case "down":
		f.move(1)
		return false, nil
	case "enter":
		switch f.at {
		case atDispatch:
			return false, f.submit()
		case atCancel:
			f.stop()
			return true, nil
		}
		f.move(1)
		return false, nil
	}
	return false, f.change(key)
}

// change handles a key for the focused field.
func (f *Form) change(key tea.KeyPressMsg) tea.Cmd {
	k := key.String()
	switch f.at {
	case atRepo, atMaxCost:
		return f.edit(key)
	case atWorker:
		f.worker.Take(k, nextIdle)
	case atAgent:
		if f.agent.Take(k, f.agentName()) {
			f.confined = false // another agent may need another consent
			return f.changed()
		}
	case atProvider:
		if f.provider.Take(k, f.providerName()) {
			f.confined, f.free = false, false
			return f.changed()
		}
	case atFiles:
		if f.bring.TakeFiles(k, f.files.Asks()) {
			return f.changed()
		}
	case atWalls:
		if k == "space" {
			f.confined = !f.confined
			f.order.Unconfined = f.confined
		}
	case atCost:
		if k == "space" {
			f.free = !f.free
		}
	case atDispatch, atCancel:
		if k == "left" || k == "right" {
			f.at = atDispatch + atCancel - f.at
		}
	}
	return nil
}

// edit passes a key or a paste to the text of the focused field. Only a change of the repository changes which fields
// there are.
func (f *Form) edit(msg tea.Msg) tea.Cmd {
	switch f.at {
	case atCommand:
		if f.wrong != nil && fieldOf(f.wrong.Field) == atCommand {
			f.wrong = nil
		}
		return f.command.Update(msg)
	case atMaxCost:
		was := f.maxCost.Value()
		cmd := f.maxCost.Update(msg)
		if f.maxCost.Value() == was {
			return cmd
		}
		return tea.Batch(cmd, f.changed())
	case atRepo:
		was := f.repo.Value()
		cmd := f.repo.Update(msg)
		if f.repo.Value() == was {
			return cmd
		}
		f.worker.Chosen, f.bring.Chosen, f.confined, f.free = "", "", false, false
		return tea.Batch(cmd, f.changed())
	}
	return nil
}

// showsFiles reports whether the form has anything to say about git-ignored files.
func (f *Form) showsFiles() bool {
	return len(f.files.Files)+len(f.files.Skipped) > 0 || f.bring.Chosen != "" || f.wrong != nil && f.wrong.Field == problem.Files
}

// move focuses another field, around the ends, and passes over fields that ask for nothing.
func (f *Form) move(n form.Field) {
	f.at = (f.at + n + fields) % fields
	if f.at == atFiles && !f.showsFiles() || f.at == atWalls && !f.unwalled() || f.at == atCost && !f.costs() {
		f.move(n)
	}
}

// agentName returns the default agent, "" while it is not known.
func (f *Form) agentName() string {
	if f.order == nil {
		return ""
	}
	return f.order.Agent.Name
}

// providerName returns the default provider of workers, "" while it is not known.
func (f *Form) providerName() string {
	if f.order == nil {
		return ""
	}
	return f.order.Mix.String()
}
