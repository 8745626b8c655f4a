package sailform

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/cli/config"
	"ocaptain/ui/dash/form"
	"ocaptain/ui/dash/pane"
)

// handleKey handles a key.
func (f *Form) handleKey(key tea.KeyPressMsg) (bool, tea.Cmd) {
	switch key.String() {
	case "esc", "ctrl+c":
		f.stop()
		return true, nil
	case "ctrl+s":
		return false, f.submit()
	case "tab":
		f.moveToField(1)
		return false, nil
	case "shift+tab":
		f.moveToField(-1)
		return false, nil
	case "up":
		return false, f.vertical(-1)
	case "down":
		return false, f.vertical(1)
	case "enter":
		switch f.at {
		case atSail:
			return false, f.submit()
		case atCancel:
			f.stop()
			return true, nil
		}
		f.moveToField(1)
		return false, nil
	}
	switch f.at {
	case atShips:
		return false, f.countKey(key)
	case atProvider:
		return false, f.chooseProvider(key)
	case atAgent:
		return false, f.choose(key, &f.agent, f.preview.Agent.Value)
	case atSink:
		return false, f.choose(key, &f.sink, f.preview.Sink.Value)
	case atSync:
		return false, f.choose(key, &f.sync, f.preview.Sync.Value)
	case atFiles:
		if f.bring.TakeFiles(key.String(), f.files.Asks()) {
			return false, f.changed()
		}
		return false, nil
	case atWalls:
		if key.String() == "space" {
			f.agreed = !f.agreed
			return false, f.changed()
		}
		return false, nil
	case atSail, atCancel:
		switch key.String() {
		case "left", "right":
			f.at = atSail + atCancel - f.at
		}
		return false, nil
	}
	return false, f.editField(key)
}

// vertical moves through the offered plans, or in other fields to the next field.
func (f *Form) vertical(n int) tea.Cmd {
	if f.at == atPlan {
		return f.choosePlan(n)
	}
	f.moveToField(field(n))
	return nil
}

// choosePlan chooses the next of the offered plans; before the first is the typed text.
func (f *Form) choosePlan(n int) tea.Cmd {
	offered := f.offered()
	picked := max(-1, min(f.picked+n, len(offered)-1))
	if picked == f.picked {
		return nil
	}
	text := f.filter
	if f.picked = picked; picked >= 0 {
		text = offered[picked]
	}
	f.bring.Chosen = ""
	f.plan.SetValue(text)
	f.plan.CursorEnd()
	return f.changed()
}

// offered returns the plans whose names contain the typed text.
func (f *Form) offered() []string {
	var some []string
	typed := strings.ToLower(strings.TrimSpace(f.filter))
	for _, p := range f.plans {
		if strings.Contains(strings.ToLower(p), typed) {
			some = append(some, p)
		}
	}
	return some
}

// editField passes a key or a paste to the text of the focused field.
func (f *Form) editField(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok && f.at == atShips {
		return f.setShips(strings.TrimSpace(paste.Content))
	}
	line := f.currentLine()
	if line == nil {
		return nil
	}
	was := line.Value()
	cmd := line.Update(msg)
	if line.Value() == was {
		return cmd
	}
	if f.at == atPlan {
		f.filter, f.picked = line.Value(), -1
	}
	if f.at == atPlan || f.at == atRepo {
		f.bring.Chosen = "" // the choice was about other files
	}
	return tea.Batch(cmd, f.changed())
}

// countKey handles a key for the number of ships.
func (f *Form) countKey(key tea.KeyPressMsg) tea.Cmd {
	now, _ := strconv.Atoi(f.shownShips())
	switch k := key.String(); k {
	case "+", "=", "right":
		return f.setShips(strconv.Itoa(min(now+1, config.MostShips)))
	case "-", "_", "left":
		return f.setShips(strconv.Itoa(max(now-1, 1)))
	case "backspace":
		return f.setShips(f.ships[:max(0, len(f.ships)-1)])
	case "delete", "ctrl+u":
		return f.setShips("")
	default:
		if len(k) == 1 && k[0] >= '0' && k[0] <= '9' {
			return f.setShips(f.ships + k)
		}
	}
	return nil
}

// setShips sets the number of ships, "" for the default.
func (f *Form) setShips(text string) tea.Cmd {
	if len(text) > len(strconv.Itoa(config.MostShips)) || strings.Trim(text, "0123456789") != "" || text == f.ships {
		return nil
	}
	f.ships = text
	return f.changed()
}

// shownShips returns the number of ships that takes effect now.
func (f *Form) shownShips() string {
	if f.ships != "" {
		return f.ships
	}
	return f.preview.Ships.Value
}

// choose handles a key for a choice among a few words. Another agent may need another consent.
func (f *Form) choose(key tea.KeyPressMsg, c *form.Choice, holds string) tea.Cmd {
	if !c.Take(key.String(), holds) {
		return nil
	}
	if c != &f.sink && c != &f.sync {
		f.unwalled, f.agreed = nil, false
	}
	return f.changed()
}

// window returns the shown part of the offered plans, and the place of its first plan.
func (f *Form) window(most int) (rows []string, first int) {
	all := f.offered()
	n := min(most, len(all))
	first = pane.Scroll(max(0, f.picked-n/2), max(f.picked, 0), len(all), n)
	return all[first : first+n], first
}
