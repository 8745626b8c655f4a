package live_test

import (
	"strings"
	"testing"

	"ocaptain/ui/term/predict"
)

const underlined = "\x1b[4m"

// Keys to a ship whose echo is late are shown at once, underlined, with the cursor behind them; once the echo has come, the view shows the
// ship's screen.
func TestAhead(t *testing.T) {
	f := look(t, `echo type:; exec cat`)
	f.Predict = predict.Always
	f.ShowOnly("ship-0")
	f.shows("ship-0", "type:")
	p, wire, typed := f.PaneOf("ship-0"), f.ships["ship-0"].Wire, ""
	send := func(r rune) {
		t.Helper()
		if err := p.SendKey(key(r)); err != nil {
			t.Fatal(err)
		}
		typed += string(r)
	}
	isEchoed := func() bool {
		rows := f.rows("ship-0", 80, 24)
		return strings.TrimRight(rows[1], " ") == typed
	}
	send('h')
	if strings.Contains(f.rows("ship-0", 80, 24)[1], underlined) {
		t.Error("the first character is shown although it may be part of a password")
	}
	f.until("the echo", isEchoed)
	for shown := false; !shown; f.until("the echo", isEchoed) { // again, as the view drops a guess when the machine lets this test wait
		wire.Freeze()
		send('i')
		row := f.rows("ship-0", 80, 24)[1]
		c, ok := p.Cursor()
		shown = strings.Contains(row, underlined+"i") && ok && c.X == len(typed)
		wire.Mend()
	}
}

// In mode never nothing is shown before its echo.
func TestNeverAhead(t *testing.T) {
	f := look(t, `echo type:; exec cat`)
	f.Predict = predict.Never
	f.ShowOnly("ship-0")
	f.shows("ship-0", "type:")
	p := f.PaneOf("ship-0")
	for _, r := range "hello" {
		if err := p.SendKey(key(r)); err != nil {
			t.Fatal(err)
		}
		if row := f.rows("ship-0", 80, 24)[1]; strings.Contains(row, underlined) {
			t.Errorf("shown: %q", row)
		}
	}
	f.shows("ship-0", "hello")
}
