package shipdir

import (
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Conversation is the file about the agent's conversation.
type Conversation struct {
	Session string   `json:"session"`
	About   string   `json:"about,omitempty"` // the task or group that it is about, "" while nothing was claimed in it
	Tasks   []string `json:"tasks,omitempty"` // the last tasks of the agent, also from earlier conversations; the newest last
}

// maxHad bounds how many tasks a conversation remembers.
const maxHad = 10

// LoadConversation returns the agent's conversation, the zero Conversation if there is none on file.
func LoadConversation(h Dir) Conversation {
	var c Conversation
	_ = ReadJSON(h.Conversation(), &c)
	session, _ := os.ReadFile(h.Session())
	if now := strings.TrimSpace(string(session)); c.Session != now {
		c.Session, c.About = now, ""
	}
	return c
}

// Had returns the conversation after the claim of a task about which it says about. A conversation that is about
// something stays about that.
func (c Conversation) Had(task, about string) Conversation {
	if c.About == "" {
		c.About = about
	}
	c.Tasks = append(slices.DeleteFunc(slices.Clone(c.Tasks), func(id string) bool { return id == task }), task)
	c.Tasks = c.Tasks[max(0, len(c.Tasks)-maxHad):]
	return c
}

// NextConversation is the file that says how the agent's next start begins. It exists until that conversation has
// begun.
type NextConversation struct {
	Session string `json:"session"`
	First   string `json:"first,omitempty"` // the first prompt
}

// LoadNext returns the next conversation, or false if the present one goes on.
func LoadNext(h Dir) (NextConversation, bool) {
	var n NextConversation
	return n, ReadJSON(h.NextConversation(), &n) == nil && n.Session != ""
}

// BegunNext removes the file of the next conversation once that has begun.
func BegunNext(h Dir, session string) {
	if n, ok := LoadNext(h); ok && n.Session == session {
		_ = os.Remove(h.NextConversation())
	}
}

// NewSession returns a new id for a conversation: a random UUID.
func NewSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
