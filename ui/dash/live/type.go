package live

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/term"
)

// ErrNotLive says that keys were not sent, because nobody would see what they do.
var ErrNotLive = errors.New("nothing was typed: the view is not live")

// longestPaste is how much can be pasted into a view at once.
const longestPaste = 1 << 20

// Type sends a key to the ship. It never waits: when the ship does not take it, it says so.
func (p *Pane) Type(k tea.KeyPressMsg) error { return p.send(Encode(tea.Key(k), p.modes())) }

// Paste sends text to the ship as a paste.
func (p *Pane) Paste(text string) error {
	if len(text) > longestPaste {
		return fmt.Errorf("%s: nothing was pasted: it is more than %d KiB; attach for that", p.Ship(), longestPaste>>10)
	}
	return p.send(EncodePaste(text, p.modes()))
}

func (p *Pane) send(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	p.Bottom()
	if !p.Live() {
		return fmt.Errorf("%s: %w", p.Ship(), ErrNotLive)
	}
	p.session.views.typed.Store(time.Now().UnixNano())
	select {
	case p.session.keys <- b:
		return nil
	default:
		return fmt.Errorf("%s takes no keys: the last ones were not typed", p.Ship())
	}
}

// modes is what the ship's tmux asked of the terminal.
func (p *Pane) modes() term.Modes {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	if p.session.screen == nil {
		return term.Modes{}
	}
	return p.session.screen.Modes()
}
