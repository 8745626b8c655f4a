package serve

import "sync"

// messages tells hooks that wait for work of messages, for which they must make room.
type messages struct {
	mu   sync.Mutex
	came chan struct{} // closed at the next message
}

// announce ends the waits: the agent reads a message only when its turn is over.
func (m *messages) announce() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.came != nil {
		close(m.came)
		m.came = nil
	}
}

// nextMessage returns a channel that closes at the next message.
func (m *messages) nextMessage() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.came == nil {
		m.came = make(chan struct{})
	}
	return m.came
}
