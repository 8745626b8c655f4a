package dash

import (
	"runtime/debug"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/act"
)

// The first screen shows the ships and the tasks of a voyage, which are read first. All other work waits until that
// screen is drawn.

// begin releases the work that waits for the first screen, and switches on the collection of garbage. Its message comes after the screen was
// drawn.
func (v *voyage) begin(collect func()) cmd {
	select {
	case <-v.drawn:
		return nil
	default:
	}
	return func() tea.Msg {
		return act.Then(func() cmd {
			select {
			case <-v.drawn: // two boards came at once
			default:
				close(v.drawn)
			}
			collect()
			return nil
		})
	}
}

// hurry is how much memory the dashboard may use before the first screen without collecting garbage.
const hurry = 256 << 20

// thrift is the percentage by which memory may grow between collections after the first screen. The dashboard reads a
// large voyage again at each change, and most of what it holds is the past.
const thrift = 50

// hasten puts off garbage collection until the first screen, as nearly everything that is read for it stays in use.
// collect switches collection on.
func hasten() (collect func()) {
	debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(hurry)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(thrift)
	}
}
