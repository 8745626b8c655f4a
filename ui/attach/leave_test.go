package attach_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach/shiptest"
)

// A line at the beginning and the title say how to leave. The line disappears by itself, or at the first key, which the
// agent still gets; the agent's screen never shows the line.
func TestSaysHowToLeave(t *testing.T) {
	s := shiptest.Start(t, `printf '\033]2;a title of its own\007'; `+echo)
	l := s.Open()
	for _, key := range []string{"", "<key>"} {
		d := newDesk(t, 80, 24)
		ended := d.run(shiptest.Soon(t), l)
		says := func() bool { return strings.Contains(ansi.Strip(d.text()), "ship-0: ctrl-q leaves") }
		eventually.Holds(t, "a line says how to leave", says)
		if screen := s.Screen(); strings.Contains(screen, "ctrl-q") {
			t.Errorf("the agent's screen has it:\n%s", screen)
		}
		d.typeKeys(key)
		if key != "" {
			d.shows(key)
		}
		eventually.Holds(t, "the line is gone", func() bool { return !says() })
		d.mu.Lock()
		title := d.screen.Title()
		d.mu.Unlock()
		if title != "ship-0: ctrl-q leaves" {
			t.Errorf("the title is %q", title)
		}
		d.typeKeys("\x11")
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}
