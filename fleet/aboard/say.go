package aboard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"
)

// maxSay bounds a message to an agent.
const maxSay = 64 << 10

// say types a message into the agent's pane and sees to it that the agent got it.
// The text is data from end to end: it travels by tmux's buffer, and nothing in it
// can act as a key.
func (s *server) say(ctx context.Context, m Say) (Said, error) {
	text := typable(m.Text)
	if text == "" || len(text) > maxSay {
		return Said{}, fmt.Errorf("a message has 1 to %d bytes", maxSay)
	}
	var r running
	if err := readJSON(s.home.run(), &r); err != nil || !r.Agent.alive() || r.Pane == "" {
		return Said{}, errors.New("no agent is running that could be told")
	}
	if !r.Hears {
		return Said{}, fmt.Errorf("the %s agent does not take messages", s.ship.Agent)
	}
	got := s.ears.listen(sumText(text))
	defer s.ears.forget(got)
	if err := r.paste(ctx, text); err != nil {
		return Said{}, err
	}
	// A program that was busy may have swallowed Enter; on an empty line it does nothing.
	for range 2 {
		if err := r.tmux(ctx, nil, "send-keys", "-t", r.Pane, "Enter"); err != nil {
			return Said{}, err
		}
		s.ears.announce()
		select {
		case <-got:
			return Said{Heard: true}, nil
		case <-time.After(3 * time.Second):
		case <-ctx.Done():
			return Said{}, ctx.Err()
		}
	}
	return Said{}, nil
}

// typable keeps what can be typed as text: no control characters but newline and
// tab, so that a message can neither press keys nor end the paste that carries it.
func typable(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "�"))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text))
}

// pasted are the tags that Claude Code puts around text that was pasted in bulk.
var pasted = regexp.MustCompile(`</?pasted_content( id="[^"]*")?>`)

// sumText names a message whatever an editor does to its white space and with its tags.
func sumText(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(pasted.ReplaceAllString(text, "")), "")))
	return hex.EncodeToString(sum[:])
}

// stop ends the agent and its runner's patience with it.
func (s *server) stop(context.Context, struct{}) (any, error) {
	var r running
	_ = readJSON(s.home.run(), &r)
	if !r.Runner.alive() {
		return nil, nil // nothing runs
	}
	if err := r.Runner.signal(syscall.SIGTERM); err != nil {
		return nil, fmt.Errorf("stop the agent: %w", err)
	}
	return nil, nil
}

// ears brings together messages that were typed, hooks that report what the agent
// heard, and hooks that wait and must make room for a message.
type ears struct {
	mu       sync.Mutex
	open     map[chan struct{}]string // by the sum of what is to be heard
	messages chan struct{}            // closed at the next message
}

// listen returns a channel that closes when the agent hears a text with that sum.
func (e *ears) listen(sum string) chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open == nil {
		e.open = map[chan struct{}]string{}
	}
	c := make(chan struct{})
	e.open[c] = sum
	return c
}

func (e *ears) forget(c chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.open, c)
}

func (e *ears) hear(sum string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for c, want := range e.open {
		if want == sum {
			close(c)
			delete(e.open, c)
		}
	}
}

// nextMessage returns a channel that closes at the next message.
func (e *ears) nextMessage() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.messages == nil {
		e.messages = make(chan struct{})
	}
	return e.messages
}

func (e *ears) announce() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.messages != nil {
		close(e.messages)
		e.messages = nil
	}
}
