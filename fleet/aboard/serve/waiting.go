package serve

import "sync"

// messages tells hooks that wait for work that a message has come, so that they end the wait.
type messages struct {
	mu   sync.Mutex
	came chan struct{} // closed at the next message
}

// announce ends the waits, since the agent reads a message only after its turn.
func (m *messages) announce() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.came != nil {
		close(m.came)
		m.came = nil
	}
}

// nextMessage returns a channel that is closed at the next message.
func (m *messages) nextMessage() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.came == nil {
		m.came = make(chan struct{})
	}
	return m.came
}
