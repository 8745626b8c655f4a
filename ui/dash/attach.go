package dash

import (
	"bytes"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/need"
	"ocaptain/ui/attach"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/toast"
)

// unhurried is how long a ship may take to answer before the dashboard says that it is waiting for the ship.
const unhurried = 400 * time.Millisecond

// onwardKeys tells the captain at each attach which keys onward takes.
const onwardKeys = "ctrl-q ! next that needs you, ctrl-q - last ship"

// attachNow gives the whole terminal to the selected ship. The connection is made while
// the dashboard is still on the screen, so that a ship that does not answer costs nothing.
func (m *Model) attachNow() cmd {
	if m.visits.away || m.visits.asked != 0 {
		return nil
	}
	id := m.jobs.NextID()
	m.visits.asked = id
	v, name := m.v, m.shipName()
	o := attach.Options{Ship: name, Type: m.env("TERM"), Cols: m.width, Rows: m.height, TrueColor: m.trueColor(), Onward: onwardKeys, Predict: m.o.Predict}
	parent := m.ctx
	return tea.Batch(tea.Tick(unhurried, func(time.Time) tea.Msg {
		return act.Then(func() cmd {
			if m.visits.asked == id {
				return m.say(toast.Going, "attaching to "+name+" …")
			}
			return nil
		})
	}), func() tea.Msg {
		visit, err := v.Views.Attach(parent, o)
		return act.Then(func() cmd {
			m.visits.asked = 0
			switch {
			case err != nil:
				return m.say(toast.Bad, name+": "+err.Error())
			case m.v != v || m.busy() || m.shipName() != name:
				return m.decline(visit, name)
			}
			m.visits.begin(name)
			v.Views.ShowOnly()
			return tea.Exec(visit, func(err error) tea.Msg {
				visit.Close() // Run may never have been called
				return act.Then(func() cmd { return m.returned(name, visit.UnreadInput(), err) })
			})
		})
	})
}

// begin records that a ship has the terminal.
func (s *visits) begin(ship string) {
	if s.away = true; s.ship != ship {
		s.ship, s.before = ship, s.ship
	}
}

// noLastShip says why there is no ship to return to, "" when there is one.
func (m *Model) noLastShip() string {
	if m.v == nil || m.v.Ship(m.visits.ship) == nil {
		return "you were not attached to a ship yet"
	}
	return ""
}

// attachLast returns to the ship that the captain was attached to last.
func (m *Model) attachLast() cmd { return m.attachTo(m.visits.ship) }

// attachTo selects a ship and attaches to it.
func (m *Model) attachTo(name string) cmd {
	m.showShip(name)
	if why := m.selection().NotAttachable(); why != "" {
		return m.say(toast.Warn, why)
	}
	return m.attachNow()
}

// nextShip returns the first other ship that needs the captain, in the order of needs and after the needs of ship; "" for none.
func nextShip(needs []need.Need, ship string) string {
	at := slices.IndexFunc(needs, func(n need.Need) bool { return n.Ship() == ship })
	for i := range needs {
		if name := needs[(at+1+i)%len(needs)].Ship(); name != "" && name != ship {
			return name
		}
	}
	return ""
}

// onward goes from one ship to another by a key that was typed after the ctrl-q, and reports whether the key is such a key.
func (m *Model) onward(from string, key byte) (cmd, bool) {
	var to, none string
	switch key {
	case '!':
		to, none = nextShip(m.v.Needs.All, from), "no other ship needs you"
	case '-':
		to, none = m.visits.before, "you were attached to no other ship"
	default:
		return nil, false
	}
	if m.v.Ship(to) == nil {
		return m.say(toast.Good, none), true
	}
	return m.attachTo(to), true
}

// decline keeps the terminal from a ship that is ready after the captain has gone on to something else, as keys that
// are typed now are not meant for it.
func (m *Model) decline(visit *attach.Command, name string) cmd {
	return tea.Batch(m.say(toast.Warn, "not attached to "+name+": you went on to something else"), func() tea.Msg {
		visit.Close()
		return nil
	})
}

// returned goes on after a visit to a ship. Bytes typed after the ctrl-q were meant for the dashboard. After an
// escape come the bytes of a key, of the mouse or of a paste; taken for letters, these could do anything.
func (m *Model) returned(name string, rest []byte, err error) cmd {
	m.visits.away = false
	rest, _, _ = bytes.Cut(rest, []byte{0x1b})
	var cmds []cmd
	if err == nil && len(rest) == 1 && m.v != nil {
		if c, ok := m.onward(name, rest[0]); ok {
			return c
		}
	}
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
