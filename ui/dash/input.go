package dash

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/keys"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/selection"
	"ocaptain/ui/dash/toast"
)

// press sends a key to whatever takes keys now: the ship that the captain types to, a dialog, the filter, or else the
// table.
func (m *Model) press(k tea.KeyPressMsg) cmd {
	key := k.String()
	switch {
	case m.typing != "":
		if isLeave(k) {
			return m.stopTyping()
		}
		pane := m.v.Views.PaneOf(m.typing)
		m.last.Stands = !pane.IsScrolled() && len(m.toasts.Shown) == 0
		return m.typed(pane.SendKey(k))
	case key == "ctrl+c" && (len(m.dialogs) == 0 || m.dialogs[len(m.dialogs)-1] == m.leaving):
		return m.quit()
	case key == "ctrl+c":
		return m.toDialog(tea.KeyPressMsg{Code: tea.KeyEscape})
	case key == "!" && len(m.dialogs) > 0 && m.dialogs[len(m.dialogs)-1] == m.calls.telling && m.selection().NoNeeds() == "":
		m.dialogs = m.dialogs[:len(m.dialogs)-1]
		return m.nextNeed()
	case len(m.dialogs) > 0:
		return m.toDialog(k)
	case m.filter != nil:
		return m.toFilter(k)
	case m.number.IsTyped():
		m.number.Take(key, m.v.Logs)
		return nil
	}
	b := bindings.Lookup(m.scope(), key)
	if b == nil {
		return nil
	}
	if m.scope() == keys.InFullLogs && isDigit(key) {
		m.v.Logs.ToggleShip(int(key[0] - '0'))
		return nil
	}
	return m.act(b)
}

// act runs a binding's action, or says why that cannot be done.
func (m *Model) act(b *keys.Binding[*Model]) cmd {
	if b.Off != nil {
		if why := b.Off(m); why != "" {
			return m.say(toast.Warn, why)
		}
	}
	if m.v == nil && !withoutVoyage(b) {
		return m.say(toast.Warn, selection.NoneYet)
	}
	return b.Do(m)
}

// withoutVoyage reports whether an action makes sense before there is a voyage.
func withoutVoyage(b *keys.Binding[*Model]) bool {
	return b.In == keys.Everywhere || b.First
}

// isLeave reports whether a key leaves a ship: ctrl-q, and on a keyboard of another script the key in the place of q.
func isLeave(k tea.KeyPressMsg) bool {
	q := k.Code == 'q' || k.Code > unicode.MaxASCII && k.BaseCode == 'q'
	return q && k.Mod&^lockMods == tea.ModCtrl
}

// lockMods are modifiers that a keyboard may report although no key is held.
const lockMods = tea.ModCapsLock | tea.ModNumLock | tea.ModScrollLock

// paste sends pasted text where keys go.
func (m *Model) paste(p tea.PasteMsg) cmd {
	switch {
	case m.typing != "":
		return m.typed(m.v.Views.PaneOf(m.typing).SendPaste(p.Content))
	case len(m.dialogs) > 0:
		return m.toDialog(p)
	case m.filter != nil:
		return m.toFilter(p)
	}
	return nil
}

// show opens a dialog above the others.
func (m *Model) show(d dialog.Dialog) { m.dialogs = append(m.dialogs, d) }

// toDialog sends a message to the topmost dialog.
func (m *Model) toDialog(msg tea.Msg) cmd { return m.tell(m.dialogs[len(m.dialogs)-1], msg) }

// tell sends a message to a dialog, which may be below others, and removes it when it has closed.
func (m *Model) tell(to dialog.Dialog, msg tea.Msg) cmd {
	closed, c := to.Update(msg)
	if closed {
		for i, d := range m.dialogs { // the dialog may have opened another one above itself
			if d == to {
				m.dialogs = append(m.dialogs[:i:i], m.dialogs[i+1:]...)
				break
			}
		}
	}
	return c
}

func digits() []string { return strings.Split("0123456789", "") }

func isDigit(key string) bool { return len(key) == 1 && key[0] >= '0' && key[0] <= '9' }

// beginNumber waits for the rest of a ship's number.
func (m *Model) beginNumber() cmd {
	m.number.Begin()
	return nil
}

// startTyping sends the keys to the selected ship.
func (m *Model) startTyping() cmd {
	m.typing = m.shipName()
	m.focus, m.low = screen.Ship, screen.Ship
	if !m.atHome() { // keys only go to a ship that is shown
		m.place, m.page = full, nil
	}
	m.v.Views.PaneOf(m.typing).Bottom()
	return nil
}

// typed tells the captain when keys did not reach the ship.
func (m *Model) typed(err error) cmd {
	if err != nil {
		m.last.Stands = false
		return m.say(toast.Bad, err.Error())
	}
	return nil
}

// stopTyping ends sending keys to the ship.
func (m *Model) stopTyping() cmd {
	m.typing = ""
	return nil
}
