package aboard

import (
	"sync"

	"ocaptain/fleet/aboard/shipdir"
)

// ears brings together messages that were typed, hooks that report what the agent
// heard, and hooks that wait and must make room for a message.
type ears struct {
	mu       sync.Mutex
	open     map[chan shipdir.Heard]string // by the sum of what is to be heard
	messages chan struct{}                 // closed at the next message
}

// listen returns a channel on which comes what the agent hears with that sum.
func (e *ears) listen(sum string) chan shipdir.Heard {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.open == nil {
		e.open = map[chan shipdir.Heard]string{}
	}
	c := make(chan shipdir.Heard, 1)
	e.open[c] = sum
	return c
}

func (e *ears) forget(c chan shipdir.Heard) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.open, c)
}

// hear passes on what the agent heard. A hook that waits must end its turn for the
// agent to read it, whoever typed it.
func (e *ears) hear(h shipdir.Heard) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for c, want := range e.open {
		if want == h.Sum {
			c <- h
			delete(e.open, c)
		}
	}
	if h.Sum != "" {
		e.announceLocked()
	}
}

// announce makes room for what was typed and is no message that a hook tells of.
func (e *ears) announce() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.announceLocked()
}

func (e *ears) announceLocked() {
	if e.messages != nil {
		close(e.messages)
		e.messages = nil
	}
}

// nextMessage returns a channel that closes at the next message.
func (e *ears) nextMessage() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.messages == nil {
		e.messages = make(chan struct{})
	}
	return e.messages
}
