package loopback

import (
	"net/http"
	"sync"
	"time"
)

// Brain answers in place of the model. It should decide by the request alone, so
// that a session which is killed and resumed goes on where it was.
type Brain func(Request) Reply

// Reply is an answer. The zero value ends the turn without a word.
type Reply struct {
	Blocks []Block
	After  time.Duration // how long the model thinks first
	Error  *Error        // refuse the request instead

	// Cut breaks the connection in the middle of the stream, and Plain answers a
	// request for a stream with plain JSON. Claude Code asks again without
	// streaming after either, and is then answered as usual.
	Cut, Plain bool
}

// Block is a text, or a call of a tool when Tool is set.
type Block struct {
	Text  string
	Tool  string
	Input map[string]any
}

// Error is how the service refuses a request. Claude Code tries again after 429,
// 529 and other 5xx, and honours the header retry-after.
type Error struct {
	Status  int    // HTTP status
	Type    string // such as rate_limit_error
	Message string
	Header  http.Header
}

// Say is a reply of text alone; it ends the turn.
func Say(text string) Reply { return Reply{Blocks: []Block{{Text: text}}} }

// Use is a reply that calls one tool.
func Use(tool string, input map[string]any) Reply {
	return Reply{Blocks: []Block{{Tool: tool, Input: input}}}
}

// Fail is a reply that refuses the request.
func Fail(status int, kind, message string) Reply {
	return Reply{Error: &Error{Status: status, Type: kind, Message: message}}
}

// Steps is a brain that gives the replies one by one in each session and then ends
// its turn.
func Steps(replies ...Reply) Brain {
	return func(r Request) Reply {
		if n := r.Step(); n < len(replies) {
			return replies[n]
		}
		return Say("All steps done.")
	}
}

// Stumble is a brain that begins each session with the given replies, such as refusals, before next
// takes over.
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
