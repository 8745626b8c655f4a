package attach

import (
	"io"
	"sync"
	"time"
)

// queue holds what was typed until the ship takes it, so that a ship which does not read
// cannot keep the captain from leaving. The ship's link reads it.
type queue struct {
	mu    sync.Mutex
	more  *sync.Cond
	bytes []byte
	last  bool          // nothing will be added
	at    time.Time     // when something was last taken
	sent  chan struct{} // closed when all is on its way
}

// most is how much may be typed or pasted to a ship that does not read. What is over it is lost.
const most = 64 << 20

// onItsWay is how long what was typed before the captain left may take to be sent, and farewell
// how long the ship then has to take it, before its terminal hangs up and forgets it.
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
	if len(q.bytes)+len(p) <= most {
		q.bytes = append(q.bytes, p...)
	}
	q.more.Signal()
}

// Read takes what was added, and waits for it. Who reads again has passed on what he read before.
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

// closeInput says that nothing will be added.
func (q *queue) closeInput() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last = true
	q.more.Signal()
}

// awaitSent waits until all that was added is on its way, but not for a ship that does not read.
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
