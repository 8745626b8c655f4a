package aboard

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// takeMail puts a message of the captain's in the ship's box, from which it gets to the
// agent once, in order, whatever becomes of helm and of this process. One that has
// arrived already is told of again.
func (s *server) takeMail(_ context.Context, m mailbox.Message) (proto.Mail, error) {
	m.Text = typable(m.Text)
	if len(m.Text) > maxSay || !mailbox.Legible(m.Text) {
		return proto.Mail{}, errUnfit
	}
	if s.agent.Turns {
		return s.takeForTurns(m)
	}
	if s.mail.WasDone(m.ID) {
		return proto.Mail{ID: m.ID, State: proto.MailSubmitted}, nil
	}
	return proto.Mail{ID: m.ID, State: proto.MailQueued}, s.mail.Add(m)
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

// The pauses after which the postman tries again: at first soon, since most of what is
// in the way passes.
const (
	tryAgain = 200 * time.Millisecond
	trySlow  = 3 * time.Second
)

// postman types the messages of the box, each when the one before it has arrived. Those
// to an agent that is not typed to stay there for whoever runs it: it opens the box,
// takes First, gives it to the agent, notes a KindMail and calls Done.
func (s *server) postman(ctx context.Context) error {
	if !s.agent.Talks {
		return nil
	}
	pause, why, about := tryAgain, "", ""
	for ctx.Err() == nil {
		changed := s.mail.Changed()
		m, ok, err := s.mail.First()
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
			pause, why = tryAgain, ""
			continue
		}
		if why != err.Error() || about != m.ID { // else helm knows it
			why, about = err.Error(), m.ID
			s.book.Add(proto.KindMail, proto.Mail{ID: m.ID, State: proto.MailQueued, Why: s.book.Clean(why, 500)})
		}
		_ = retry.Sleep(ctx, pause)
		pause = min(trySlow, 2*pause)
	}
	return nil
}

// deliver types one message and takes it out of the box. The journal tells helm before
// the box forgets; a crash in between makes the attempt be found again, and tells twice.
func (s *server) deliver(ctx context.Context, m mailbox.Message) error {
	if err := s.typist.Lock(ctx); err != nil {
		return err
	}
	defer s.typist.Unlock()
	end, err := s.typeIn(ctx, m)
	if err != nil {
		return err
	}
	if end.state == proto.MailTyped {
		s.ears.announce() // a command waits for the end of a turn as a message does
	}
	s.book.Add(proto.KindMail, proto.Mail{ID: m.ID, State: end.state, Altered: end.altered})
	if err := s.mail.Done(m.ID); err != nil {
		return err // it is still in the box, and the attempt keeps it from being typed again
	}
	return s.forgetAttempt()
}

// queuedHints are what Claude Code shows while messages wait for the end of the turn: one
// in an empty input line, one below the message, also when a draft is in that line.
var queuedHints = []string{"edit queued messages", "⎿  Queued · "}

// unread reports whether a message that came while the agent was busy still waits for
// the end of its turn, which a hook that waits for work would put off. It looks twice,
// as the screen may lag behind.
func (s *server) unread(ctx context.Context) bool {
	if s.agent.Box == nil {
		return false
	}
	for _, pause := range []time.Duration{0, 500 * time.Millisecond} {
		if retry.Sleep(ctx, pause) != nil {
			return false
		}
		var r pane
		if shipdir.ReadJSON(s.home.Run(), &r) != nil || r.Pane == "" {
			return false
		}
		screen, err := r.screen(ctx)
		if err != nil {
			continue
		}
		shown := ansi.Strip(strings.Join(screen.Lines, "\n"))
		if slices.ContainsFunc(queuedHints, func(hint string) bool { return strings.Contains(shown, hint) }) {
			return true
		}
	}
	return false
}
