package attach

import (
	"strconv"
	"time"
	"unicode/utf8"

	"ocaptain/ui/term"
	"ocaptain/ui/term/predict"
	"ocaptain/ui/term/sgr"
)

// ahead draws on the captain's terminal what a far ship will show of typed keys, underlined, until the ship shows it. It must not be used
// concurrently.
//
// It follows the ship's output on a screen of its own. Guesses are on the terminal only between two pieces of output: before the next piece
// the cells under them, the cursor and the pen are put back.
type ahead struct {
	screen  *term.Screen
	guesser predict.Guesser
	x, y    int // place of the guesses on the terminal
	cells   int // how many there are
	out     []byte
}

// newAhead returns an ahead for a terminal of that size, nil in mode Never.
func newAhead(mode predict.Mode, cols, rows int) *ahead {
	if mode == predict.Never {
		return nil
	}
	return &ahead{screen: term.New(cols, rows, 0), guesser: predict.Guesser{Mode: mode}}
}

// resize follows the terminal's size. The ship then redraws the whole screen.
func (a *ahead) resize(cols, rows int) []byte {
	a.screen.Resize(cols, rows)
	a.guesser, a.cells = predict.Guesser{Mode: a.guesser.Mode}, 0
	return nil
}

// pass returns what to write to the terminal for output of the ship, which consists of whole sequences. The result is valid until the next
// call of a method.
func (a *ahead) pass(now time.Time, output []byte) []byte {
	a.erase()
	a.out = append(a.out, output...)
	_, _ = a.screen.Write(output)
	return a.draw(now)
}

// typed returns what to write to the terminal after bytes were sent to the ship. The result is valid until the next call of a method.
func (a *ahead) typed(now time.Time, sent []byte) []byte {
	a.erase()
	for len(sent) > 0 {
		n := len(sent)
		if sent[0] >= ' ' && n <= burst {
			_, n = utf8.DecodeRune(sent)
		}
		a.guesser.Type(now, a.screen, sent[:n])
		sent = sent[n:]
	}
	return a.draw(now)
}

// burst is how many bytes may be keys that were typed one after the other, and not a paste.
const burst = 16

// look returns what to write to the terminal when a guess may have waited for too long. The result is valid until the next call of a method.
func (a *ahead) look(now time.Time) []byte {
	a.erase()
	return a.draw(now)
}

// erase begins a.out with what takes the guesses from the terminal.
func (a *ahead) erase() {
	a.out = a.out[:0]
	if a.cells == 0 {
		return
	}
	a.moveTo(a.x, a.y)
	a.out = append(a.out, "\x1b[m"...)
	a.out = a.screen.AppendRow(a.out, a.y, a.x, a.x+a.cells)
	a.out = append(a.out, "\x1b[m"...)
	a.out = sgr.AppendChange(a.out, sgr.Style{}, a.screen.Pen())
	c := a.screen.Cursor()
	a.moveTo(c.X, c.Y)
	a.cells = 0
}

// draw appends the guesses to a.out, with the cursor behind them, and returns it.
func (a *ahead) draw(now time.Time) []byte {
	a.guesser.Check(now, a.screen)
	x, y, text := a.guesser.Shown()
	cells := utf8.RuneCountInString(text) // each takes one
	if cells == 0 || !a.screen.IsPlain() || !a.isBlank(x, y, cells) {
		return a.out
	}
	a.x, a.y, a.cells = x, y, cells
	a.moveTo(x, y)
	a.out = append(a.out, "\x1b[0;4m"...)
	a.out = append(a.out, text...)
	return a.out
}

// isBlank reports whether nothing is on the ship's screen where guesses would be drawn.
func (a *ahead) isBlank(x, y, cells int) bool {
	for i := range cells {
		if a.screen.CellAt(x+i, y).Text != " " {
			return false
		}
	}
	return true
}

// moveTo appends a move of the cursor.
func (a *ahead) moveTo(x, y int) {
	a.out = append(a.out, "\x1b["...)
	a.out = strconv.AppendInt(a.out, int64(y+1), 10)
	a.out = append(a.out, ';')
	a.out = strconv.AppendInt(a.out, int64(x+1), 10)
	a.out = append(a.out, 'H')
}
