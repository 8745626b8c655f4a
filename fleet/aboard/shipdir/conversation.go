package shipdir

import (
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Conversation is the file that tells what the agent's conversation is about.
type Conversation struct {
	Session string   `json:"session"`
	About   string   `json:"about,omitempty"` // "" while nothing was claimed in it
	Tasks   []string `json:"tasks,omitempty"` // that the agent has had, also in conversations before; the newest last
}

// maxHad is how many tasks a conversation remembers.
const maxHad = 10

// LoadConversation returns what the agent's conversation is about.
func LoadConversation(h Dir) Conversation {
	var c Conversation
	_ = ReadJSON(h.Conversation(), &c)
	session, _ := os.ReadFile(h.Session())
	if now := strings.TrimSpace(string(session)); c.Session != now {
		c.Session, c.About = now, ""
	}
	return c
}

// Had returns the conversation in which a task was claimed. It stays about what it was begun with.
func (c Conversation) Had(task, about string) Conversation {
	if c.About == "" {
		c.About = about
	}
	c.Tasks = append(slices.DeleteFunc(slices.Clone(c.Tasks), func(id string) bool { return id == task }), task)
	c.Tasks = c.Tasks[max(0, len(c.Tasks)-maxHad):]
	return c
}

// NextConversation is the file that tells with what the agent's next start begins, until it has begun.
type NextConversation struct {
	Session string `json:"session"`
	First   string `json:"first,omitempty"` // what it is told first
}

// LoadNext returns the conversation that begins next, if the present one is over.
func LoadNext(h Dir) (NextConversation, bool) {
	var n NextConversation
	return n, ReadJSON(h.NextConversation(), &n) == nil && n.Session != ""
}

// BegunNext forgets the next conversation once it has begun.
func BegunNext(h Dir, session string) {
	if n, ok := LoadNext(h); ok && n.Session == session {
		_ = os.Remove(h.NextConversation())
	}
}

// NewSession makes an id for a conversation: a random UUID.
func NewSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
