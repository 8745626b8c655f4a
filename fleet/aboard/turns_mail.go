package aboard

import (
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// The captain's messages to an agent that takes turns are in the ship's box, into which
// serve puts them. Each becomes the prompt of a turn of its own, in order. Serve is another
// process: the box is opened anew whenever it matters.

// waitingMail returns the message that is next.
func waitingMail(h shipdir.Dir) (mailbox.Message, bool) {
	box, err := mailbox.Open(h.Mail())
	if err != nil {
		return mailbox.Message{}, false
	}
	m, ok, err := box.First()
	return m, ok && err == nil // what cannot be read now is for a later turn
}

// mail returns what the captain said, for the prompt of the next turn, "" for nothing. It
// stays the same until the turn that it begins has gone well.
func (t *turns) mail() string {
	if t.letter.ID == "" {
		m, ok := waitingMail(t.home)
		if !ok {
			return ""
		}
		t.letter = m
	}
	return "The captain says:\n\n" + t.letter.Text
}

// delivered takes the message out of the box whose turn has been started. Should the
// runner be killed before, its agent is too, and the message begins another turn.
func (t *turns) delivered() {
	if t.letter.ID == "" || t.posted == t.letter.ID {
		return
	}
	t.posted = t.letter.ID
	box, err := mailbox.Open(t.home.Mail())
	if err == nil {
		err = box.Done(t.letter.ID) // first: serve tells of it again when the journal does not
	}
	if err != nil {
		t.book.Log("error", err.Error(), "")
	}
	t.book.Add(proto.KindMail, proto.Mail{ID: t.letter.ID, State: proto.MailSubmitted})
}

// takeForTurns puts a message into the box from which the runner takes it, and has the
// agent's wait end for it.
func (s *server) takeForTurns(m mailbox.Message) (proto.Mail, error) {
	box, err := mailbox.Open(s.home.Mail())
	if err != nil {
		return proto.Mail{}, err
	}
	if box.WasDone(m.ID) {
		return proto.Mail{ID: m.ID, State: proto.MailSubmitted}, nil
	}
	err = box.Add(m)
	s.ears.announce()
	return proto.Mail{ID: m.ID, State: proto.MailQueued}, err
}
