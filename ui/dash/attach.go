package dash

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/attach"
)

// attachNow gives the whole terminal to the selected ship. The connection is made while
// the dashboard is still on the screen, so that a ship that does not answer costs nothing.
func (m *Model) attachNow() cmd {
	if m.attached {
		return nil
	}
	m.attached = true
	v, name := m.v, m.shipName()
	o := attach.Options{Ship: name, Type: m.env("TERM"), Cols: m.width, Rows: m.height, TrueColor: m.trueColor()}
	parent := m.ctx
	return func() tea.Msg {
		visit, err := v.views.Attach(parent, o)
		return result(func(m *Model) cmd {
			if err != nil {
				m.attached = false
				return m.say(bad, name+": "+err.Error())
			}
			v.views.Show()
			return tea.Exec(visit, func(err error) tea.Msg {
				return result(func(m *Model) cmd { return m.returned(name, visit.Rest(), err) })
			})
		})
	}
}

// returned goes on after a visit to a ship. What was typed behind the ctrl-q that left
// was meant for the dashboard.
func (m *Model) returned(name string, rest []byte, err error) cmd {
	m.attached = false
	var cmds []cmd
	for _, b := range rest {
		if b > ' ' && b < 0x7f {
			cmds = append(cmds, m.press(tea.KeyPressMsg{Code: rune(b), Text: string(rune(b))}))
		}
	}
	switch {
	case errors.Is(err, attach.ErrSignal):
		return tea.Quit
	case err != nil:
		cmds = append(cmds, m.say(bad, name+": "+err.Error()))
	}
	return tea.Batch(cmds...)
}

// trueColor reports whether the captain's terminal says that it shows all colours.
func (m *Model) trueColor() bool {
	v := m.env("COLORTERM")
	return v == "truecolor" || v == "24bit"
}

// env is a variable of the captain's environment.
func (m *Model) env(name string) string {
	for _, kv := range m.o.Environ {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:]
		}
	}
	return ""
}
