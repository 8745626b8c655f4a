package live

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/ui/term"
)

// ErrNotLive means that keys were not sent, because the captain would not see their effect.
var ErrNotLive = errors.New("nothing was typed: the view is not live")

// longestPaste bounds one paste, in bytes.
const longestPaste = 1 << 20

// SendKey sends a key to the ship. It never waits: it returns an error if the ship does not read.
func (p *Pane) SendKey(k tea.KeyPressMsg) error { return p.send(Encode(tea.Key(k), p.terminalModes())) }

// SendPaste sends text to the ship as a paste.
func (p *Pane) SendPaste(text string) error {
	if len(text) > longestPaste {
		return fmt.Errorf("%s: nothing was pasted: it is more than %d KiB; attach for that", p.ShipName(), longestPaste>>10)
	}
	return p.send(EncodePaste(text, p.terminalModes()))
}

func (p *Pane) send(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	p.Bottom()
	if !p.IsLive() {
		return fmt.Errorf("%s: %w", p.ShipName(), ErrNotLive)
	}
	p.session.views.noteKey()
	select {
	case p.session.keys <- b:
		p.session.predict(b)
		return nil
	default:
		return fmt.Errorf("%s takes no keys: the last ones were not typed", p.ShipName())
	}
}

// terminalModes returns the modes that the ship's tmux has set.
func (p *Pane) terminalModes() term.Modes {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	if p.session.screen == nil {
		return term.Modes{}
	}
	return p.session.screen.Modes()
}

// predict guesses what the ship will show of bytes that were sent, and has guesses that stay without an echo taken away.
func (s *session) predict(sent []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.screen == nil {
		return
	}
	s.ahead.Type(time.Now(), s.screen, sent)
	if _, _, text := s.ahead.Shown(); text != "" {
		s.views.changed()
	}
	time.AfterFunc(s.ahead.Patience(), s.views.changed)
}

// drawAhead puts the guesses about the ship's screen on the rows of the view, underlined, and returns the cursor behind them. The caller holds
// the session's mu.
func (p *Pane) drawAhead(rows []string, screen *term.Screen) term.Cursor {
	s, c := p.session, screen.Cursor()
	s.ahead.Check(time.Now(), screen)
	x, y, text := s.ahead.Shown()
	if text == "" {
		return c
	}
	c.X, c.Y = x+ansi.StringWidth(text), y
	x, y = x-p.crop.x, y-p.crop.y
	text = ansi.Truncate(text, p.width-x, "")
	if x >= 0 && y >= 0 && y < len(rows) && text != "" {
		rest := x + ansi.StringWidth(text)
		rows[y] = ansi.Cut(rows[y], 0, x) + "\x1b[m\x1b[4m" + text + "\x1b[m" + ansi.Cut(rows[y], rest, p.width)
	}
	return c
}
