package attach_test

import (
	"bytes"
	"testing"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach/shiptest"
	"ocaptain/ui/term/predict"
)

// Keys to a ship whose echo is late are on the terminal at once, underlined, and as the ship shows them once it does. In mode never they are not.
func TestLateEcho(t *testing.T) {
	for mode, guesses := range map[predict.Mode]bool{predict.Always: true, predict.Never: false} {
		t.Run(string(mode), func(t *testing.T) {
			s := shiptest.Start(t, "echo ready; exec cat")
			d := newDesk(t, 80, 24)
			d.predict = mode
			ended := d.run(shiptest.Soon(t), s.Open())
			d.shows("ready")
			typed := 0
			is := func(text string) bool {
				d.mu.Lock()
				defer d.mu.Unlock()
				c := d.screen.CellAt(typed-1, 1)
				return c.Text == text && c.Style.Underline == 0 && d.screen.Cursor().X == typed
			}
			key := func(k string) {
				d.typeKeys(k)
				typed++
			}
			for _, k := range []string{"a", "h"} { // the line that says how to leave goes at the first
				key(k)
				eventually.Holds(t, "the key is echoed", func() bool { return is(k) })
			}
			if guesses {
				s.Wire.Freeze()
				key("i")
				eventually.Holds(t, "the next key is there before its echo", func() bool {
					d.mu.Lock()
					defer d.mu.Unlock()
					return bytes.Contains(d.output, []byte("\x1b[0;4mi")) // it may be gone again on a slow machine
				})
				s.Wire.Mend()
			} else {
				key("i")
			}
			eventually.Holds(t, "the next key is echoed", func() bool { return is("i") })
			d.typeKeys("\x11")
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
