package aboard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"unicode"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// maxSay bounds a message to an agent.
const maxSay = mailbox.MaxText

// say types a message of helm's own, which is out of date by the time that the agent
// could take it if it cannot now. The captain's messages come by mail.
func (s *server) say(ctx context.Context, m proto.Say) (proto.Said, error) {
	text := typable(m.Text)
	if len(text) > maxSay || !mailbox.Legible(text) {
		return proto.Said{}, errUnfit
	}
	if err := s.typist.Lock(ctx); err != nil {
		return proto.Said{}, err
	}
	defer s.typist.Unlock()
	var was shipdir.Attempt
	if shipdir.ReadJSON(s.home.Attempt(), &was) == nil && s.mail.Has(was.ID) {
		// The attempt is what keeps that message from being typed twice.
		return proto.Said{}, notNow("a message of the captain's is being typed")
	}
	end, err := s.typeIn(ctx, mailbox.Message{ID: "say-" + rand.Text(), Text: text})
	_ = s.forgetAttempt()
	return proto.Said{Heard: end.state == proto.MailSubmitted}, err
}

// errUnfit refuses what is no message.
var errUnfit = fmt.Errorf("a message has 1 to %d bytes and something to read in it", maxSay)

// typable keeps what can be typed as text: no control characters but newline and
// tab, so that a message can neither press keys nor end the paste that carries it.
// A line ends with a newline alone.
func typable(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "�"))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// stop ends the agent and its runner's patience with it.
func (s *server) stop(context.Context, struct{}) (any, error) {
	var r pane
	_ = shipdir.ReadJSON(s.home.Run(), &r)
	if !r.Runner.Alive() {
		return nil, nil // nothing runs
	}
	if err := r.Runner.Signal(syscall.SIGTERM); err != nil {
		return nil, fmt.Errorf("stop the agent: %w", err)
	}
	return nil, nil
}

// listener is the agent that can be typed to, or why there is none.
func (s *server) listener() (pane, error) {
	var r pane
	if err := shipdir.ReadJSON(s.home.Run(), &r); err != nil || !r.Agent.Alive() || r.Pane == "" {
		return pane{}, errors.New("no agent is running that could be told")
	}
	if !r.Hears {
		return pane{}, fmt.Errorf("the %s agent does not take messages", s.ship.Agent)
	}
	return r, nil
}
