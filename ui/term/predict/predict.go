// Package predict guesses what a terminal will show of the keys that were typed, before the far end has echoed them. The rules are those of
// mosh's "predictive local echo" (Winstein and Balakrishnan, USENIX ATC 2012, section 3), for text that is appended to a line.
package predict

import (
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"ocaptain/ui/term"
)

// Mode says when guesses are shown.
type Mode string

// The modes. The zero Mode is Auto.
const (
	Auto   Mode = "auto"   // while an echo takes longer than slow
	Always Mode = "always" // whenever the terminal echoes at all
	Never  Mode = "never"
)

// Guesses begin to be shown when an echo takes longer than slow, and are no longer shown when an echo takes less than
// fast.
const (
	slow = 30 * time.Millisecond
	fast = 20 * time.Millisecond
)

// patience is how long the first echo may take. Later ones may take half as long again as the echoes before them, and spare.
const (
	patience = 2 * time.Second
	spare    = 150 * time.Millisecond
)

// Guesser guesses for one terminal. It must not be used concurrently. The zero Guesser guesses in mode Auto.
//
// A guess is shown only after an echo on the same line: a prompt for a password, or a program that takes keys for commands, gives none. Every
// key other than a character, and every wrong guess, begins a new line in this sense.
type Guesser struct {
	Mode Mode

	pending []guess       // typed and not yet echoed, from column x of row y on
	x, y    int           // place of the first pending guess
	echoes  bool          // a guess about this line was right
	took    time.Duration // time from a key to its echo, smoothed; 0 before the first
	showing bool          // echoes are slow enough to show guesses
}

type guess struct {
	text string
	at   time.Time // when the key was typed
}

// Type notes that bytes were sent to the terminal that shows s.
func (g *Guesser) Type(now time.Time, s *term.Screen, sent []byte) {
	r, size := utf8.DecodeRune(sent)
	switch {
	case g.Mode == Never:
	case size == len(sent) && (r == '\x7f' || r == '\b') && len(g.pending) > 0:
		g.pending = g.pending[:len(g.pending)-1]
	case size != len(sent) || !unicode.IsPrint(r) || ansi.StringWidth(string(r)) != 1:
		g.begin()
	default:
		g.append(now, s, string(r))
	}
}

// append guesses that a character will appear at the cursor, behind the pending guesses. It guesses only for blank cells, as it cannot know
// what a program does with text behind the cursor, and not for a line's last cell, as programs wrap there in their own ways.
func (g *Guesser) append(now time.Time, s *term.Screen, text string) {
	switch c := s.Cursor(); {
	case len(g.pending) == 0 && !c.Visible, len(g.pending) > 0 && c.Visible && c.Y != g.y: // perhaps at a prompt for a password
		g.begin()
		return
	case len(g.pending) == 0:
		g.x, g.y = c.X, c.Y
	}
	cols, _ := s.Size()
	x := g.x + len(g.pending)
	if x >= cols-1 || s.CellAt(x, g.y).Text != " " || s.CellAt(x+1, g.y).Text != " " && x+1 < cols-1 {
		g.begin()
		return
	}
	g.pending = append(g.pending, guess{text, now})
}

// begin forgets what is pending, and shows nothing more until an echo was seen.
func (g *Guesser) begin() { g.pending, g.echoes = nil, false }

// Check compares the guesses with s, which shows the output so far. Programs move the cursor about and blank cells while they draw, so only
// another character in place of the guess disproves the guess before its time is up.
func (g *Guesser) Check(now time.Time, s *term.Screen) {
	for len(g.pending) > 0 {
		c, first := s.Cursor(), g.pending[0]
		there, passed := s.CellAt(g.x, g.y).Text, c.Y == g.y && c.X > g.x
		switch {
		case passed && there == first.text && there != " ":
			g.echoed(now.Sub(first.at))
		case passed && there == " " && first.text == " ":
			// The cell may have been blank before, so this does not prove that the ship echoes.
		case passed && there != " " || now.Sub(first.at) > g.Patience():
			g.begin()
			return
		default:
			return
		}
		g.pending = g.pending[1:]
		g.x++
	}
}

// echoed notes how long an echo took.
func (g *Guesser) echoed(took time.Duration) {
	g.echoes = true
	if g.took == 0 {
		g.took = took
	}
	g.took += (took - g.took) / 4
	g.showing = g.took > slow || g.showing && g.took > fast
}

// Patience is how long a guess may wait for its echo before it counts as wrong. Call Check then.
func (g *Guesser) Patience() time.Duration {
	if g.took == 0 {
		return patience
	}
	return min(patience, g.took+g.took/2+spare)
}

// Shown returns what to show over the screen, from column x of row y on; "" for nothing. The cursor belongs behind it.
func (g *Guesser) Shown() (x, y int, text string) {
	if !g.echoes || !g.showing && g.Mode != Always {
		return 0, 0, ""
	}
	for _, p := range g.pending {
		text += p.text
	}
	return g.x, g.y, text
}
