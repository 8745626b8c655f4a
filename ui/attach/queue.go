package attach

import (
	"io"
	"sync"
	"time"
)

// queue holds typed bytes until the ship takes them, so that the captain can leave a ship that does
// not read. The ship's link reads from the queue.
type queue struct {
	mu    sync.Mutex
	more  *sync.Cond
	bytes []byte
	last  bool          // no more will be added
	at    time.Time     // when bytes were last taken
	sent  chan struct{} // closed when all bytes are on their way
}

// maxTyped bounds what may be typed or pasted to a ship that does not read. Bytes beyond it are lost.
const maxTyped = 64 << 20

// onItsWay is how long sending the last typed bytes may take after the captain left, and farewell
// how long the ship then has to read them before its terminal hangs up and drops them.
const (
	onItsWay = 250 * time.Millisecond
	farewell = 100 * time.Millisecond
)

func newQueue() *queue {
	q := &queue{sent: make(chan struct{})}
	q.more = sync.NewCond(&q.mu)
	return q
}

func (q *queue) add(p []byte) {
	if len(p) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.bytes)+len(p) <= maxTyped {
		q.bytes = append(q.bytes, p...)
	}
	q.more.Signal()
}

// Read waits for bytes and takes them. A reader that reads again has sent what it read before.
func (q *queue) Read(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.bytes) == 0 {
		if q.last {
			select {
			case <-q.sent:
			default:
				close(q.sent)
			}
			return 0, io.EOF
		}
		q.more.Wait()
	}
	n := copy(p, q.bytes)
	if q.bytes = q.bytes[n:]; len(q.bytes) == 0 {
		q.bytes = nil
	}
	q.at = time.Now()
	return n, nil
}

// closeInput marks that no more bytes will be added.
func (q *queue) closeInput() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = true
	q.more.Signal()
}

// awaitSent waits until all bytes are on their way, except for a ship that does not read.
func (q *queue) awaitSent() {
	q.closeInput()
	select {
	case <-q.sent:
		q.mu.Lock()
		last := q.at
		q.mu.Unlock()
		time.Sleep(time.Until(last.Add(farewell)))
	case <-time.After(onItsWay):
	}
}
