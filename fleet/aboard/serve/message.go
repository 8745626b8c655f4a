package serve

import (
	"context"
	"crypto/rand"
	"fmt"

	"ocaptain/fleet/aboard/prompt"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// maxSay bounds a message to an agent.
const maxSay = mailbox.MaxText

// typeMessage types a message of helm's own, which is out of date by the time that the agent
// could take it if it cannot now. The captain's messages come by mail.
func (s *server) typeMessage(ctx context.Context, m proto.Say) (proto.Said, error) {
	text := prompt.Typable(m.Text)
	if len(text) > maxSay || !mailbox.Legible(text) {
		return proto.Said{}, errUnfit
	}
	if err := s.typing.Lock(ctx); err != nil {
		return proto.Said{}, err
	}
	defer s.typing.Unlock()
	var was shipdir.Attempt
	if shipdir.ReadJSON(s.home.Attempt(), &was) == nil && s.mail.Has(was.ID) {
		// The attempt is what keeps that message from being typed twice.
		return proto.Said{}, prompt.NotNow("a message of the captain's is being typed")
	}
	end, err := s.typist.Type(ctx, mailbox.Message{ID: "say-" + rand.Text(), Text: text})
	_ = s.typist.ForgetAttempt()
	return proto.Said{Heard: end.State == proto.MailSubmitted}, err
}

// errUnfit refuses what is no message.
var errUnfit = fmt.Errorf("a message has 1 to %d bytes and something to read in it", maxSay)
