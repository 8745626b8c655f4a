package aboardtest

import (
	"strings"

	"ocaptain/fleet/aboard/standin"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// Seen returns the data of all events of one kind that helm received.
func Seen[T any](h *Helm, kind string) []T { return standin.Told[T](h.Helm, kind) }

// States returns the words of the states that helm received.
func (h *Helm) States() string {
	var words []string
	for _, s := range Seen[proto.AgentState](h, proto.KindAgentState) {
		words = append(words, string(s.State))
	}
	return strings.Join(words, " ")
}

// Mail sends a message to the ship and returns the message's id.
func (h *Helm) Mail(id, text string) string {
	h.t.Helper()
	var got proto.Mail
	if err := h.Conn.Call(h.t.Context(), proto.MethodMail, mailbox.Message{ID: id, Text: text}, &got); err != nil || got.ID != id {
		h.t.Fatalf("mail: %+v, %v", got, err)
	}
	return id
}

// Mailed returns the ship's last report about a message.
func (h *Helm) Mailed(id string) (last proto.Mail) {
	for _, m := range Seen[proto.Mail](h, proto.KindMail) {
		if m.ID == id {
			last = m
		}
	}
	return last
}

// LastState returns the newest agent state, without its session.
func (h *Helm) LastState() proto.AgentState {
	all := Seen[proto.AgentState](h, proto.KindAgentState)
	if len(all) == 0 {
		return proto.AgentState{}
	}
	s := all[len(all)-1]
	s.Session = ""
	return s
}

// TakenBack is the beginning of what an agent is told when its task 1 is requeued.
const TakenBack = "Task 1 was taken back from you: requeued by the captain: wrong. Stop working on it"

// Logged returns how many lines of the log contain a text.
func (h *Helm) Logged(text string) (n int) {
	for _, l := range Seen[proto.Log](h, proto.KindLog) {
		if strings.Contains(l.Text, text) {
			n++
		}
	}
	return n
}
