// Package visit gives the captain's terminal to a ship, and takes it back.
package visit

import (
	"bytes"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/need"
	"ocaptain/ui/attach"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/live"
	"ocaptain/ui/dash/toast"
)

// unhurried is how long a ship may take to answer before the dashboard says that it is waiting for the ship.
const unhurried = 400 * time.Millisecond

// onwardKeys tells the captain at each attach which keys lead from one ship to another.
const onwardKeys = "ctrl-q ! next that needs you, ctrl-q - last ship"

// Visits tracks the times at which another program than the dashboard has the terminal. Its zero value has seen none.
type Visits struct {
	asked  int    // number of the attach for which a ship is being asked, 0 for none
	count  int    // of attaches so far
	away   bool   // another program has the terminal
	last   string // the last ship that had the terminal, "" for none
	before string // the ship before that
}

// IsAway reports whether another program has the terminal.
func (v *Visits) IsAway() bool { return v.away }

// IsAsking reports whether a ship is being asked for its terminal.
func (v *Visits) IsAsking() bool { return v.asked != 0 }

// Last returns the last ship that had the terminal, "" for none.
func (v *Visits) Last() string { return v.last }

// Before returns the ship before the last, "" for none.
func (v *Visits) Before() string { return v.before }

// Lend records that another program has the terminal.
func (v *Visits) Lend() { v.away = true }

// Return records that the dashboard has the terminal again.
func (v *Visits) Return() { v.away = false }

// Begin records that a ship has the terminal.
func (v *Visits) Begin(ship string) {
	if v.Lend(); v.last != ship {
		v.last, v.before = ship, v.last
	}
}

// Desk is the part of the dashboard that an attach uses. Its functions are called by the goroutine that updates the
// model.
type Desk struct {
	Context  context.Context // ends with the program
	Say      func(level toast.Level, text string) tea.Cmd
	Wanted   func() bool // reports whether the captain still waits for the ship
	Returned func(typed []byte, err error) tea.Cmd
}

// Attach gives the terminal to a ship. The connection is made while the dashboard is still on the screen, so that a ship that does not answer
// costs nothing.
func (v *Visits) Attach(d Desk, views *live.Views, o attach.Options) tea.Cmd {
	if v.IsAway() || v.IsAsking() {
		return nil
	}
	v.count++
	number := v.count
	v.asked, o.Onward = number, onwardKeys
	waiting := tea.Tick(unhurried, func(time.Time) tea.Msg {
		return act.Then(func() tea.Cmd {
			if v.asked == number {
				return d.Say(toast.Going, "attaching to "+o.Ship+" …")
			}
			return nil
		})
	})
	return tea.Batch(waiting, func() tea.Msg {
		terminal, err := views.Attach(d.Context, o)
		return act.Then(func() tea.Cmd {
			v.asked = 0
			switch {
			case err != nil:
				return d.Say(toast.Bad, o.Ship+": "+err.Error())
			case !d.Wanted():
				return decline(d, terminal, o.Ship)
			}
			v.Begin(o.Ship)
			views.ShowOnly()
			return tea.Exec(terminal, func(err error) tea.Msg {
				terminal.Close() // Run may never have been called
				return act.Then(func() tea.Cmd {
					v.Return()
					return d.Returned(terminal.UnreadInput(), err)
				})
			})
		})
	})
}

// decline keeps the captain's terminal from a ship that is ready after he has gone on to something else, as keys that are typed now are not
// meant for the ship.
func decline(d Desk, terminal *attach.Command, ship string) tea.Cmd {
	return tea.Batch(d.Say(toast.Warn, "not attached to "+ship+": you went on to something else"), func() tea.Msg {
		terminal.Close()
		return nil
	})
}

// Keys returns the keys that were typed behind the ctrl-q that leaves a ship. After an escape come the bytes of a key, of the mouse or of a
// paste; taken for letters, these could do anything.
func Keys(typed []byte) (keys []byte) {
	typed, _, _ = bytes.Cut(typed, []byte{0x1b})
	for _, b := range typed {
		if b > ' ' && b < 0x7f {
			keys = append(keys, b)
		}
	}
	return keys
}

// NextShip returns the first other ship that needs the captain, in the order of needs and after the needs of ship; "" for none.
func NextShip(needs []need.Need, ship string) string {
	at := slices.IndexFunc(needs, func(n need.Need) bool { return n.Ship() == ship })
	for i := range needs {
		if name := needs[(at+1+i)%len(needs)].Ship(); name != "" && name != ship {
			return name
		}
	}
	return ""
}
