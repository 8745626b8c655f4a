package run

import (
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// The captain's messages to an agent that takes turns are in the ship's box, into which serve puts
// them. Each becomes the prompt of a turn of its own, in order. Serve is another process: the
// runner opens the box each time it reads it.

// captainMessage returns what the captain said, for the prompt of the next turn, "" for nothing. It
// stays the same until the turn that it begins has gone well.
func (t *turns) captainMessage() string {
	if t.letter.ID == "" {
		m, ok := shipdir.NextMail(t.home)
		if !ok {
			return ""
		}
		t.letter = m
	}
	if t.letter.Claim.Task != "" {
		return t.letter.Text
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
		err = box.Remove(t.letter.ID) // first: serve tells of it again when the journal does not
	}
	if err != nil {
		t.book.Log("error", err.Error(), "")
	}
	t.book.Add(proto.KindMail, proto.Mail{ID: t.letter.ID, State: proto.MailSubmitted})
}
