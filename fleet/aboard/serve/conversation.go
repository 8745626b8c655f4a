package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"ocaptain/fleet/aboard/halt"
	"ocaptain/fleet/aboard/prompt"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/proto"
)

// conversation is the agent's conversation, which the captain may have bounded to one task or group.
type conversation struct {
	home shipdir.Dir
	ship proto.Ship
	list *taskList
	book *shipdir.Journal
}

// about returns the subject of a conversation about a task: the task or its group.
func (c conversation) about(task string) string {
	t, _ := c.list.task(task)
	return c.ship.Conversation.About(task, t.Group())
}

// isOver reports whether the agent must begin a new conversation before it works on a task, or on any new task if
// task is "".
func (c conversation) isOver(task string) bool {
	now := shipdir.LoadConversation(c.home).About
	return now != "" && c.ship.Conversation.IsBounded() && (task == "" || now != c.about(task))
}

// check returns an error if the agent claims a task that needs another conversation. It allows any claim if the ship
// holds one, as that may be repeated.
func (c conversation) check(task string) error {
	var held proto.Claim
	if !c.isOver(task) || shipdir.ReadJSON(c.home.Claim(), &held) == nil {
		return nil
	}
	return errors.New(told.TalkedOut)
}

// note records that the conversation is about a task that the ship has claimed.
func (c conversation) note(task string) {
	now := shipdir.LoadConversation(c.home).Had(task, c.about(task))
	if err := shipdir.WriteJSON(c.home.Conversation(), now); err != nil {
		c.book.Log("error", "what its conversation is about cannot be kept on file: "+err.Error(), task)
	}
	c.list.show(now.Tasks)
}

// beginNext answers an agent whose turn is over and which has a task ready. It begins a new conversation if the task needs one.
// The agent keeps its conversation if the captain is writing to it.
func (s *server) beginNext(ctx context.Context, task string) (shipdir.Next, error) {
	if !s.talk.isOver(task) {
		return shipdir.Next{}, nil
	}
	if err := s.typing.Lock(ctx); err != nil {
		return shipdir.Next{}, err
	}
	defer s.typing.Unlock()
	_, waits, err := s.mail.NextMessage()
	if err != nil || waits || s.typist.Written(ctx) {
		c := shipdir.LoadConversation(s.home)
		c.About = ""
		return shipdir.Next{}, errors.Join(err, shipdir.WriteJSON(s.home.Conversation(), c))
	}
	return shipdir.Next{Ends: true}, s.begin(context.WithoutCancel(ctx), s.handover()+" "+s.told().Ready([]string{task}))
}

// begin ends the agent, whose runner then starts it with a new conversation. The caller holds s.typing.
func (s *server) begin(ctx context.Context, first string) error {
	if _, ok := shipdir.LoadNext(s.home); ok {
		return nil // the agent is already being restarted
	}
	var r shipdir.Running
	if err := shipdir.ReadJSON(s.home.Run(), &r); err != nil || !r.Agent.Alive() {
		return prompt.NotNow("no agent is running that could begin a new conversation")
	}
	if err := shipdir.WriteJSON(s.home.NextConversation(), shipdir.NextConversation{Session: shipdir.NewSession(), First: first}); err != nil {
		return err
	}
	s.book.Log("note", "its conversation is over, and a new one begins", "")
	if err := r.Agent.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if !halt.Heeded(ctx, func() bool { return !r.Agent.Alive() }) {
		return syscall.Kill(-r.Agent.PID, syscall.SIGKILL)
	}
	return nil
}

// handover returns the text about earlier conversations that begins a new conversation.
func (s *server) handover() string {
	_, err := os.Stat(filepath.Join(string(s.home), told.Notes))
	var had []told.Task
	for _, id := range shipdir.LoadConversation(s.home).Tasks {
		t, _ := s.list.task(id)
		had = append(had, told.Task{ID: id, Subject: t.Subject})
	}
	return s.told().Handover(s.ship.Name, s.ship.Voyage, had, err == nil)
}

// told describes the agent for package told.
func (s *server) told() told.Agent {
	return told.Agent{Role: s.ship.Role, Tools: s.agent.Hooks, Given: s.ship.Given}
}
