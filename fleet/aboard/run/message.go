package run

import (
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// The captain's messages to an agent that takes turns are in the ship's mailbox, into which serve puts them. Each
// becomes the prompt of a turn of its own, in order. As serve is another process, the runner opens the mailbox each
// time it reads it.

// captainMessage returns the captain's next message, for the prompt of the next turn, "" for none. It returns the
// same message until a turn that began with it has ended well.
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

// delivered removes the current message from the mailbox once its turn has started. If the runner is killed before
// that, so is the agent, and the message begins another turn.
func (t *turns) delivered() {
	if t.letter.ID == "" || t.posted == t.letter.ID {
		return
	}
	t.posted = t.letter.ID
	box, err := mailbox.Open(t.home.Mail())
	if err == nil {
		err = box.Remove(t.letter.ID) // removed before it is journaled: serve reports the message again if the journal lacks it
	}
	if err != nil {
		t.book.Log("error", err.Error(), "")
	}
	t.book.Add(proto.KindMail, proto.Mail{ID: t.letter.ID, State: proto.MailSubmitted})
}
