package serve

import (
	"context"
	"crypto/rand"
	"os"
	"syscall"
	"time"

	"ocaptain/fleet/aboard/halt"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// keepClaim keeps on file what the ship holds, so that it learns of its loss also when it was
// away, or this process was killed, at that time.
func (s *server) keepClaim(c proto.Claim) {
	s.claims.Lock()
	defer s.claims.Unlock()
	if err := shipdir.WriteJSON(s.home.Claim(), c); err != nil {
		s.book.Log("error", "the claim cannot be kept on file: "+err.Error(), c.Task)
	}
	shipdir.ForgetLost(s.home)
}

// forgetClaim forgets a claim that came to its end.
func (s *server) forgetClaim(task string) {
	s.claims.Lock()
	defer s.claims.Unlock()
	var c proto.Claim
	if shipdir.ReadJSON(s.home.Claim(), &c) == nil && c.Task == task {
		_ = os.Remove(s.home.Claim())
	}
}

// watchClaim looks after the claim as long as helm is connected: when the task list does not show
// it any more, the agent is stopped and told.
func (s *server) watchClaim(ctx context.Context) error {
	for ctx.Err() == nil {
		changed := s.list.nextNews()
		lost, err := s.findLoss(ctx)
		var again <-chan time.Time
		if err != nil {
			again = time.After(5 * time.Second)
		}
		if lost.Task != "" {
			s.stopAndTell(ctx, lost)
			continue
		}
		select {
		case <-changed:
		case <-again:
		case <-ctx.Done():
		}
	}
	return nil
}

// findLoss asks helm about a claim that the task list does not show, and returns it when it was
// lost. From then on the agent's hooks tell of it.
func (s *server) findLoss(ctx context.Context) (lost shipdir.LostClaim, err error) {
	s.claims.Lock()
	defer s.claims.Unlock()
	var c proto.Claim
	if shipdir.ReadJSON(s.home.Claim(), &c) != nil || s.list.mayHold(c.Task) {
		return lost, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var f proto.Fate
	if err := s.askHelm(ctx, proto.MethodFate, c, &f); err != nil || f.Held {
		return lost, err
	}
	if f.Why != "" {
		lost = shipdir.LostClaim{Claim: c, Text: s.told().Lost(c.Task, f)}
		if err := shipdir.WriteJSON(s.home.Lost(), lost); err != nil {
			s.book.Log("error", "the lost claim cannot be kept on file: "+err.Error(), c.Task)
		}
		s.book.Log("note", lost.Text, c.Task)
	}
	s.dropMail(c)
	_ = os.Remove(s.home.Claim())
	return lost, nil
}

// dropMail takes out the message that was to have the agent work on a claim that has ended.
func (s *server) dropMail(c proto.Claim) {
	box := s.mail
	if s.agent.Turns { // its runner takes messages out of the files
		var err error
		if box, err = mailbox.Open(s.home.Mail()); err != nil {
			s.book.Log("error", err.Error(), c.Task)
			return
		}
	}
	for _, m := range box.All() {
		if m.Claim != c {
			continue
		}
		if err := box.Remove(m.ID); err != nil {
			s.book.Log("error", "the message about a lost task stays: "+err.Error(), c.Task)
		}
	}
}

// stopAndTell stops the agent and has it told. How depends on the agent: the command of one without
// a model is ended, and so is the turn of one whose every start is a turn; others are interrupted.
func (s *server) stopAndTell(ctx context.Context, lost shipdir.LostClaim) {
	if err := s.haltAgent(ctx, lost.Claim); err != nil {
		s.book.Log("error", "the agent could not be interrupted: "+err.Error(), lost.Task)
	}
	if !s.agent.Talks && !s.agent.Turns {
		return
	}
	m := mailbox.Message{ID: "lost-" + rand.Text(), At: time.Now(), Text: lost.Text}
	if _, err := s.takeMail(ctx, m); err != nil {
		s.book.Log("error", "the agent could not be told of its lost task: "+err.Error(), lost.Task)
	}
}

// haltAgent stops what the agent does for a claim.
func (s *server) haltAgent(ctx context.Context, c proto.Claim) error {
	if s.agent.Name == "script" {
		s.home.EndCommand() // a command that begins now looks for the loss itself
		return nil
	}
	if err := s.typing.Lock(ctx); err != nil {
		return err
	}
	defer s.typing.Unlock()
	var r shipdir.Running
	_ = shipdir.ReadJSON(s.home.Run(), &r)
	p, err := s.halter().StopTurn(ctx)
	if err == nil && s.ship.Given { // no hook tells of the end of this turn, and the next message waits for that
		shipdir.NameWindow(ctx, s.home, proto.StateIdle)
	}
	if s.agent.Turns && p.Was && !halt.Heeded(ctx, func() bool { return !r.Agent.Alive() }) && r.Agent.Alive() {
		return syscall.Kill(-r.Agent.PID, syscall.SIGKILL)
	}
	return err
}

// explainRefusal is a no of helm's to a completion, with the reason when the claim was lost.
func (s *server) explainRefusal(ctx context.Context, task string, no error) error {
	if lost, err := s.findLoss(ctx); err == nil && lost.Task == task {
		return &wire.Error{Code: proto.CodeLost, Text: lost.Text}
	}
	return no
}
