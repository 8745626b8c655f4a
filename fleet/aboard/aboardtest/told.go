package aboardtest

import (
	"strings"

	"ocaptain/fleet/aboard/standin"
	"ocaptain/fleet/mailbox"
	"ocaptain/fleet/proto"
)

// Seen returns the data of the events of a kind that helm has.
func Seen[T any](h *Helm, kind string) []T { return standin.Told[T](h.Helm, kind) }

// States returns the words of the states that helm heard of.
func (h *Helm) States() string {
	var words []string
	for _, s := range Seen[proto.AgentState](h, proto.KindAgentState) {
		words = append(words, string(s.State))
	}
	return strings.Join(words, " ")
}

// Mail hands a message over and returns its id.
func (h *Helm) Mail(id, text string) string {
	h.t.Helper()
	var got proto.Mail
	if err := h.Conn.Call(h.t.Context(), proto.MethodMail, mailbox.Message{ID: id, Text: text}, &got); err != nil || got.ID != id {
		h.t.Fatalf("mail: %+v, %v", got, err)
	}
	return id
}

// Mailed is what the ship told last of a message.
func (h *Helm) Mailed(id string) (last proto.Mail) {
	for _, m := range Seen[proto.Mail](h, proto.KindMail) {
		if m.ID == id {
			last = m
		}
	}
	return last
}

// LastState is the agent's newest state that is not of a prompt or a start.
func (h *Helm) LastState() proto.AgentState {
	all := Seen[proto.AgentState](h, proto.KindAgentState)
	if len(all) == 0 {
		return proto.AgentState{}
	}
	s := all[len(all)-1]
	s.Session = ""
	return s
}

// TakenBack is what an agent is told whose task was taken back.
const TakenBack = "Task 1 was taken back from you: requeued by the captain: wrong. Stop working on it"

// Logged counts the lines of the log that have a text in them.
func (h *Helm) Logged(text string) (n int) {
	for _, l := range Seen[proto.Log](h, proto.KindLog) {
		if strings.Contains(l.Text, text) {
			n++
		}
	}
	return n
}
