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

// keepClaim writes the ship's claim to a file. So the ship notices that it has lost the claim even if it was away or
// this process was killed meanwhile.
func (s *server) keepClaim(c proto.Claim) {
	s.claims.Lock()
	defer s.claims.Unlock()
	if err := shipdir.WriteJSON(s.home.Claim(), c); err != nil {
		s.book.Log("error", "the claim cannot be kept on file: "+err.Error(), c.Task)
	}
	shipdir.ForgetLost(s.home)
}

// forgetClaim removes a claim that has ended.
func (s *server) forgetClaim(task string) {
	s.claims.Lock()
	defer s.claims.Unlock()
	var c proto.Claim
	if shipdir.ReadJSON(s.home.Claim(), &c) == nil && c.Task == task {
		_ = os.Remove(s.home.Claim())
	}
}

// watchClaim watches the claim while helm is connected: when the task list no longer shows it, it stops the agent and
// tells it why.
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

// findLoss asks helm about a claim that the task list does not show, and returns it if it was lost. From then on the
// agent's hooks tell the agent.
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

// dropMail removes the message that told the agent to work on a claim that has ended.
func (s *server) dropMail(c proto.Claim) {
	box := s.mail
	if s.agent.Turns { // the runner reads messages from the files
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

// stopAndTell stops the agent and tells it about the lost claim. It ends the command of the script agent, and the
// turn of an agent that takes turns; it interrupts any other agent.
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
		s.home.EndCommand() // a command that begins only now checks for the loss itself
		return nil
	}
	if err := s.typing.Lock(ctx); err != nil {
		return err
	}
	defer s.typing.Unlock()
	var r shipdir.Running
	_ = shipdir.ReadJSON(s.home.Run(), &r)
	p, err := s.halter().StopTurn(ctx)
	if err == nil && s.ship.Given { // no hook reports the end of an interrupted turn, and the next message waits for that
		shipdir.NameWindow(ctx, s.home, proto.StateIdle)
	}
	if s.agent.Turns && p.Was && !halt.Heeded(ctx, func() bool { return !r.Agent.Alive() }) && r.Agent.Alive() {
		return syscall.Kill(-r.Agent.PID, syscall.SIGKILL)
	}
	return err
}

// explainRefusal returns helm's refusal of a completion, with the reason if the claim was lost.
func (s *server) explainRefusal(ctx context.Context, task string, no error) error {
	if lost, err := s.findLoss(ctx); err == nil && lost.Task == task {
		return &wire.Error{Code: proto.CodeLost, Text: lost.Text}
	}
	return no
}
