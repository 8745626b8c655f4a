//go:build long

package attach_test

import (
	"fmt"
	"strings"
	"testing"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach/shiptest"
)

// After each of a hundred visits the terminal is as it was, and every key has gone to its reader.
func TestHundredVisits(t *testing.T) {
	s := shiptest.Start(t, echo)
	l := s.Open()
	d := newDesk(t, 80, 24)
	was := d.state()
	for i := range 100 {
		c := d.open(shiptest.Soon(t), l)
		ended := make(chan error, 1)
		go func() { ended <- c.Run() }()
		d.shows("ready")
		key := fmt.Sprintf("<%d>", i)
		d.typeKeys(key)
		d.shows(key)
		rest := "j"
		switch {
		case i%20 == 0:
			d.typeKeys("\x11") // without a key after it
			rest = ""
		case i%5 == 4:
			d.typeKeys("+\x11j")
		default:
			d.typeKeys("\x11j")
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if string(c.UnreadInput()) != rest {
			t.Fatalf("visit %d left %q, want %q", i, c.UnreadInput(), rest)
		}
		d.isAgain(was)
	}
	eventually.Holds(t, "the ship has got all keys", func() bool { return strings.Count(s.Screen(), "+") == 20 })
	if got := strings.Join(strings.Fields(s.Screen()), ""); strings.Contains(got, "j") || !strings.HasSuffix(got, "<98><99>+") {
		t.Errorf("the ship got %q", got)
	}
}
