package dash

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/attach"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/dash/visit"
)

// attachNow gives the whole terminal to the selected ship.
func (m *Model) attachNow() cmd {
	v, name := m.v, m.shipName()
	return m.visits.Attach(visit.Desk{
		Context: m.ctx, Say: m.say,
		Wanted:   func() bool { return m.v == v && !m.busy() && m.shipName() == name },
		Returned: func(typed []byte, err error) cmd { return m.returned(name, typed, err) },
	}, v.Views, attach.Options{Ship: name, Type: m.env("TERM"), Cols: m.width, Rows: m.height, TrueColor: m.trueColor(), Predict: m.o.Predict})
}

// noLastShip says why there is no ship to return to, "" when there is one.
func (m *Model) noLastShip() string {
	if m.v == nil || m.v.Ship(m.visits.Last()) == nil {
		return "you were not attached to a ship yet"
	}
	return ""
}

// attachLast returns to the ship that the captain was attached to last.
func (m *Model) attachLast() cmd { return m.attachTo(m.visits.Last()) }

// attachTo selects a ship and attaches to it.
func (m *Model) attachTo(name string) cmd {
	m.showShip(name)
	if why := m.selection().NotAttachable(); why != "" {
		return m.say(toast.Warn, why)
	}
	return m.attachNow()
}

// onward goes from one ship to another by a key that was typed after the ctrl-q, and reports whether the key is such a key.
func (m *Model) onward(from string, key byte) (cmd, bool) {
	var to, none string
	switch key {
	case '!':
		to, none = visit.NextShip(m.v.Needs.All, from), "no other ship needs you"
	case '-':
		to, none = m.visits.Before(), "you were attached to no other ship"
	default:
		return nil, false
	}
	if m.v.Ship(to) == nil {
		return m.say(toast.Good, none), true
	}
	return m.attachTo(to), true
}

// returned goes on after a visit to a ship. What was typed after the ctrl-q was meant for the dashboard.
func (m *Model) returned(ship string, typed []byte, err error) cmd {
	keys := visit.Keys(typed)
	if err == nil && len(keys) == 1 && m.v != nil {
		if c, ok := m.onward(ship, keys[0]); ok {
			return c
		}
	}
	var cmds []cmd
	for _, b := range keys {
		cmds = append(cmds, m.press(tea.KeyPressMsg{Code: rune(b), Text: string(rune(b))}))
	}
	switch {
	case errors.Is(err, attach.ErrSignal):
		return tea.Quit
	case err != nil:
		cmds = append(cmds, m.say(toast.Bad, ship+": "+err.Error()))
	}
	return tea.Batch(cmds...)
}

// trueColor reports whether the captain's terminal claims to show all colours.
func (m *Model) trueColor() bool {
	v := m.env("COLORTERM")
	return v == "truecolor" || v == "24bit"
}

// env returns a variable of the captain's environment.
func (m *Model) env(name string) string {
	for _, kv := range m.o.Environ {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:]
		}
	}
	return ""
}
