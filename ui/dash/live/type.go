package live

import (
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

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
	p.session.views.typed.Store(time.Now().UnixNano())
	select {
	case p.session.keys <- b:
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
