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

// maxSay is the longest message to an agent, in bytes.
const maxSay = mailbox.MaxText

// typeMessage types a message of helm itself. If that is not possible now, it fails, as the message would be out of
// date later. The captain's messages come by takeMail.
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
		// The attempt in the file keeps the captain's message from being typed twice, and must not be overwritten.
		return proto.Said{}, prompt.NotNow("a message of the captain's is being typed")
	}
	end, err := s.typist.Type(ctx, mailbox.Message{ID: "say-" + rand.Text(), Text: text})
	_ = s.typist.ForgetAttempt()
	return proto.Said{Heard: end.State == proto.MailSubmitted}, err
}

// errUnfit is the error of an empty or too long message.
var errUnfit = fmt.Errorf("a message has 1 to %d bytes and something to read in it", maxSay)
