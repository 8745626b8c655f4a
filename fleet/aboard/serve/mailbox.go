package serve

import (
	"context"
	"time"

	"ocaptain/fleet/aboard/prompt"
	"ocaptain/fleet/aboard/shipdir"

	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// takeMail puts a message of the captain into the ship's mailbox. The agent gets it once and in order, whatever
// happens to helm and this process. If the message has already arrived, takeMail reports that again.
func (s *server) takeMail(_ context.Context, m mailbox.Message) (proto.Mail, error) {
	m.Text = prompt.Typable(m.Text)
	if len(m.Text) > maxSay || !mailbox.Legible(m.Text) {
		return proto.Mail{}, errUnfit
	}
	if m.Claim.Task != "" {
		s.keepClaim(m.Claim)
	}
	if s.agent.Turns {
		return s.takeForTurns(m)
	}
	if s.mail.WasDone(m.ID) {
		return proto.Mail{ID: m.ID, State: proto.MailSubmitted}, nil
	}
	return proto.Mail{ID: m.ID, State: proto.MailQueued}, s.mail.Add(m)
}

// takeForTurns puts a message into the mailbox that the runner reads, and ends the agent's wait for work.
func (s *server) takeForTurns(m mailbox.Message) (proto.Mail, error) {
	box, err := mailbox.Open(s.home.Mail())
	if err != nil {
		return proto.Mail{}, err
	}
	if box.WasDone(m.ID) {
		return proto.Mail{ID: m.ID, State: proto.MailSubmitted}, nil
	}
	err = box.Add(m)
	s.messages.announce()
	return proto.Mail{ID: m.ID, State: proto.MailQueued}, err
}

// The pauses before deliverMail tries again. The first is short, since most obstacles pass soon.
const (
	tryAgain = 200 * time.Millisecond
	trySlow  = 3 * time.Second
)

// deliverMail types the messages of the mailbox, each after the one before has arrived. It leaves messages to an
// agent that takes turns to its runner: that opens the mailbox, takes First, gives it to the agent, adds a KindMail
// to the journal and calls Done.
func (s *server) deliverMail(ctx context.Context) error {
	if !s.agent.Talks {
		return nil
	}
	pauses, why, about := retry.Doubling(tryAgain, trySlow), "", ""
	for ctx.Err() == nil {
		changed := s.mail.Changed()
		m, ok, err := s.mail.NextMessage()
		if !ok && err == nil {
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		if ok {
			err = s.deliver(ctx, m)
		}
		if err == nil || ctx.Err() != nil {
			pauses.Reset()
			why = ""
			continue
		}
		if why != err.Error() || about != m.ID { // otherwise helm knows it already
			why, about = err.Error(), m.ID
			s.book.Add(proto.KindMail, proto.Mail{ID: m.ID, State: proto.MailQueued, Why: s.book.Clean(why, 500)})
		}
		_ = retry.Sleep(ctx, pauses.NextBackOff())
	}
	return nil
}

// deliver types one message and removes it from the mailbox. It writes to the journal first. After a crash in
// between, the next serve finds the attempt and reports the message again.
func (s *server) deliver(ctx context.Context, m mailbox.Message) error {
	if err := s.typing.Lock(ctx); err != nil {
		return err
	}
	defer s.typing.Unlock()
	if m.Claim.Task != "" && shipdir.WindowNamed(s.home, proto.StateWorking) {
		// The agent would take the message at once but begin it later. Then the end of this turn would count as the end of its work.
		return prompt.NotNow("its agent is in the middle of another turn")
	}
	if m.Claim.Task != "" && s.talk.isOver(m.Claim.Task) && !s.typist.Written(ctx) {
		if err := s.begin(ctx, ""); err != nil {
			return err
		}
		return prompt.NotNow("a new conversation begins for it")
	}
	if m.Claim.Task != "" && s.agent.Box != nil {
		gist := s.agent.Box.Gist(m.Text)
		s.given.Store(&gist)
	}
	end, err := s.typist.Type(ctx, m)
	if err != nil {
		return err
	}
	if m.Claim.Task != "" {
		s.talk.note(m.Claim.Task)
	}
	if end.State == proto.MailTyped {
		s.messages.announce() // a command has to wait for the end of a turn, as a message has
	}
	s.book.Add(proto.KindMail, proto.Mail{ID: m.ID, State: end.State, Altered: end.Altered})
	if err := s.mail.Remove(m.ID); err != nil {
		return err // the message stays in the mailbox; the attempt keeps it from being typed again
	}
	return s.typist.ForgetAttempt()
}
