package loopback

import (
	"net/http"
	"sync"
	"time"
)

// Brain answers in place of the model. It should depend only on the request, so that a session which is killed and
// resumed continues where it was.
type Brain func(Request) Reply

// Reply is an answer of the model. The zero value ends the turn without a text.
type Reply struct {
	Blocks []Block
	After  time.Duration // how long the model thinks first
	Error  *Error        // if set, the request is refused with it

	// Cut breaks the connection in the middle of the stream. Plain answers a request for a stream with plain JSON. After
	// either, Claude Code repeats the request without streaming, and gets a normal answer.
	Cut, Plain bool
}

// Block is a text or, if Tool is set, a call of a tool.
type Block struct {
	Text  string
	Tool  string
	Input map[string]any
}

// Error is an error of the service. Claude Code repeats a request after 429, 529 and other 5xx, and respects the
// header retry-after.
type Error struct {
	Status  int    // HTTP status
	Type    string // such as rate_limit_error
	Message string
	Header  http.Header
}

// Say returns a reply with only a text, which ends the turn.
func Say(text string) Reply { return Reply{Blocks: []Block{{Text: text}}} }

// Use returns a reply that calls one tool.
func Use(tool string, input map[string]any) Reply {
	return Reply{Blocks: []Block{{Tool: tool, Input: input}}}
}

// Fail returns a reply that refuses the request.
func Fail(status int, kind, message string) Reply {
	return Reply{Error: &Error{Status: status, Type: kind, Message: message}}
}

// Steps returns a Brain that gives these replies one by one in each session, and then ends the turn.
func Steps(replies ...Reply) Brain {
	return func(r Request) Reply {
		if n := r.Step(); n < len(replies) {
			return replies[n]
		}
		return Say("All steps done.")
	}
}

// Stumble returns a Brain that begins each session with these replies, such as errors, before next takes over.
func Stumble(next Brain, replies ...Reply) Brain {
	var mu sync.Mutex
	seen := map[string]int{}
	return func(r Request) Reply {
		mu.Lock()
		n := seen[r.Session]
		seen[r.Session]++
		mu.Unlock()
		if n < len(replies) {
			return replies[n]
		}
		return next(r)
	}
}
