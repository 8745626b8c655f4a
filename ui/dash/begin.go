package dash

import (
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// The first screen shows the ships and the tasks of a voyage, which are read before all else.
// The rest waits until it is drawn.

// begin lets go on what waits for the first screen. Its message comes after that was drawn.
func (v *voyage) begin() cmd {
	select {
	case <-v.drawn:
		return nil
	default:
	}
	return func() tea.Msg {
		return result(func(m *Model) cmd {
			select {
			case <-v.drawn: // there were two boards at once
			default:
				close(v.drawn)
			}
			m.collect()
			return nil
		})
	}
}

// hurry is how much memory may be used up before the first screen.
const hurry = 256 << 20

// thrift is by how many percent memory may grow before garbage is collected after that. A
// large voyage is read anew at each change, and most of what the dashboard holds is its past.
const thrift = 50

// hasten puts off the collection of garbage until the first screen: nearly all that is read
// for it stays. What it returns begins to collect.
func hasten() (collect func()) {
	debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(hurry)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(thrift)
	}
}
