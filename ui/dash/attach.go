package dash

import (
	"bytes"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/attach"
	"ocaptain/ui/dash/toast"
)

// unhurried is how long a ship may take to answer before it is told that it is being asked.
const unhurried = 400 * time.Millisecond

// attachNow gives the whole terminal to the selected ship. The connection is made while
// the dashboard is still on the screen, so that a ship that does not answer costs nothing.
func (m *Model) attachNow() cmd {
	if m.attached || m.visiting != 0 {
		return nil
	}
	m.lastJob++
	id := m.lastJob
	m.visiting = id
	v, name := m.v, m.shipName()
	o := attach.Options{Ship: name, Type: m.env("TERM"), Cols: m.width, Rows: m.height, TrueColor: m.trueColor()}
	parent := m.ctx
	return tea.Batch(tea.Tick(unhurried, func(time.Time) tea.Msg {
		return result(func(m *Model) cmd {
			if m.visiting == id {
				return m.say(toast.Going, "attaching to "+name+" …")
			}
			return nil
		})
	}), func() tea.Msg {
		visit, err := v.views.Attach(parent, o)
		return result(func(m *Model) cmd {
			m.visiting = 0
			switch {
			case err != nil:
				return m.say(toast.Bad, name+": "+err.Error())
			case m.v != v || m.busy() || m.shipName() != name:
				return m.decline(visit, name)
			}
			m.attached = true
			v.views.ShowOnly()
			return tea.Exec(visit, func(err error) tea.Msg {
				visit.Close() // it may never have run
				return result(func(m *Model) cmd { return m.returned(name, visit.UnreadInput(), err) })
			})
		})
	})
}

// decline does not give the terminal to a ship that is ready when the captain has gone on to
// something else: what is typed meanwhile is not meant for it.
func (m *Model) decline(visit *attach.Command, name string) cmd {
	return tea.Batch(m.say(toast.Warn, "not attached to "+name+": you went on to something else"), func() tea.Msg {
		visit.Close()
		return nil
	})
}

// returned goes on after a visit to a ship. What was typed behind the ctrl-q that left
// was meant for the dashboard. Behind an escape come the bytes of a key, of the mouse or of a
// paste: taken for letters they would do anything.
func (m *Model) returned(name string, rest []byte, err error) cmd {
	m.attached = false
	rest, _, _ = bytes.Cut(rest, []byte{0x1b})
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
		cmds = append(cmds, m.say(toast.Bad, name+": "+err.Error()))
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
