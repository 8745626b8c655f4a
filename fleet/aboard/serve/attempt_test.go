package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/prompt"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// heardBeforeDone makes a ship whose agent has got a message that is still in the mailbox, as after a kill. Nothing
// delivers the message.
func heardBeforeDone(t *testing.T, m mailbox.Message) (*server, string) {
	t.Helper()
	known, err := agent.Lookup("claude")
	if err != nil {
		t.Fatal(err)
	}
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Env = map[string]string{"ANTHROPIC_API_KEY": "k"} })
	s, err := newServer(shipdir.Dir(dir), context.CancelCauseFunc(func(error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.book.Close)
	_, end, err := s.book.Identity()
	if err != nil {
		t.Fatal(err)
	}
	a := shipdir.Attempt{ID: m.ID, Sum: known.Box.Gist(m.Text), Text: m.Text, From: end, Pasted: true, Enter: time.Now()}
	if err := errors.Join(s.mail.Add(m), shipdir.WriteJSON(s.home.Attempt(), a)); err != nil {
		t.Fatal(err)
	}
	aboardtest.Fire(t, dir, "UserPromptSubmit", map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": m.Text})
	return s, dir
}

// When helm sends a message of its own, the ship keeps the record that a message of the captain was typed.
func TestSayKeepsTheAttempt(t *testing.T) {
	m := mailbox.Message{ID: "message-1", Text: "Take-this"}
	s, dir := heardBeforeDone(t, m)
	aboardtest.PutClaude(t, dir, "")
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "the agent", func() bool { return w.Running().Agent.Alive() && strings.Contains(w.Screen(), "❯") })
	var later *prompt.NotNowError
	if said, err := s.typeMessage(t.Context(), proto.Say{Text: "Go-on"}); !errors.As(err, &later) || said.Heard {
		t.Errorf("said %+v, %v", said, err)
	}
	helm := aboardtest.NewHelm(t)
	helm.Connect(dir)
	eventually.Holds(t, "the word to helm", func() bool { return helm.Mailed(m.ID).State == proto.MailSubmitted })
	eventually.Holds(t, "an empty box", func() bool { return mailLen(t, shipdir.Dir(dir)) == 0 })
	if strings.Contains(w.Screen(), "heard ") {
		t.Errorf("it was typed again:\n%s", w.Screen())
	}
	eventually.Holds(t, "the end of the attempt", func() bool { return !aboardtest.Exists(shipdir.Dir(dir).Attempt()) })
	go func() {
		eventually.Holds(t, "helm's words", func() bool { return strings.Contains(w.Screen(), "heard Go-on") })
		aboardtest.Fire(t, dir, "UserPromptSubmit", map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "Go-on"})
	}()
	var said proto.Said
	if err := helm.Conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: "Go-on"}, &said); err != nil || !said.Heard {
		t.Errorf("afterwards: %+v, %v", said, err)
	}
}

// If the mailbox cannot be written when a message has arrived, the ship keeps the record that it was typed.
func TestDeliverKeepsTheAttemptUntilTheBoxForgets(t *testing.T) {
	m := mailbox.Message{ID: "message-1", Text: "Take-this"}
	s, _ := heardBeforeDone(t, m)
	inTheWay := filepath.Join(s.home.Mail(), "done", "full")
	if err := os.MkdirAll(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.deliver(t.Context(), m); err == nil || !strings.Contains(err.Error(), "note that the message arrived") {
		t.Errorf("got %v", err)
	}
	if !aboardtest.Exists(s.home.Attempt()) || !s.mail.Has(m.ID) {
		t.Error("nothing proves any more that it was typed")
	}
	if err := os.RemoveAll(filepath.Dir(inTheWay)); err != nil {
		t.Fatal(err)
	}
	if err := s.deliver(t.Context(), m); err != nil || aboardtest.Exists(s.home.Attempt()) || s.mail.Has(m.ID) {
		t.Errorf("then: %v", err)
	}
}

// A message that cannot be read for a while is delivered once it can be read.
func TestPostmanReadsLater(t *testing.T) {
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Env = map[string]string{"ANTHROPIC_API_KEY": "k"} })
	aboardtest.PutClaude(t, dir, "")
	w := aboardtest.NewWindow(t, dir)
	w.Run()
	eventually.Holds(t, "the agent", func() bool { return w.Running().Agent.Alive() && strings.Contains(w.Screen(), "❯") })
	mail, err := mailbox.Open(shipdir.Dir(dir).Mail())
	if err != nil {
		t.Fatal(err)
	}
	if err := mail.Add(mailbox.Message{ID: "message-1", Text: "Take-this"}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(shipdir.Dir(dir).Mail(), "000000000001-message-1.json")
	if err := errors.Join(os.Rename(file, file+".aside"), os.Mkdir(file, 0o700)); err != nil {
		t.Fatal(err)
	}
	helm := aboardtest.NewHelm(t)
	helm.Connect(dir)
	eventually.Holds(t, "the reason", func() bool { return strings.Contains(helm.Mailed("message-1").Why, "cannot be read") })
	if err := errors.Join(os.Remove(file), os.Rename(file+".aside", file)); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the message", func() bool { return strings.Contains(w.Screen(), "heard Take-this") })
	aboardtest.Fire(t, dir, "UserPromptSubmit", map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "Take-this"})
	eventually.Holds(t, "the word to helm", func() bool { return helm.Mailed("message-1").State == proto.MailSubmitted })
}
