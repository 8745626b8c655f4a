package link_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
)

// held is a connection from which nothing arrives while the gate is locked.
type held struct {
	net.Conn
	gate *sync.RWMutex
}

func (h held) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	h.gate.RLock()
	defer h.gate.RUnlock()
	return n, err
}

// looks is a clock that can be read only as often as the test lets it.
type looks struct {
	next   chan struct{}
	jumped atomic.Int64
}

func (l *looks) now() time.Time {
	<-l.next
	return time.Now().Add(time.Duration(l.jumped.Load()))
}

// let lets the clock be read n times.
func (l *looks) let(n int) {
	for range n {
		l.next <- struct{}{}
	}
}

// TestSleep loses the network before the machine sleeps, and gets it back some time after: the link takes the
// connection for dead only if it stays silent for too long after the sleep.
func TestSleep(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	w := newWire(s.addr)
	var gate sync.RWMutex
	cfg := s.config()
	cfg.Dial = func(ctx context.Context) (net.Conn, error) {
		conn, err := w.dial(ctx)
		return held{conn, &gate}, err
	}
	const most = 10 // how often the link may look without a sign of life
	cfg.Interval, cfg.Timeout = 400*time.Millisecond, most*400*time.Millisecond
	clock := &looks{next: make(chan struct{})}
	l := open(t, cfg.At(clock.now))
	if err := l.AwaitConnected(soon(t)); err != nil {
		t.Fatal(err)
	}
	clock.let(2) // the link begins to count
	gate.Lock()
	clock.let(most / 2)
	clock.jumped.Store(int64(8 * time.Hour))
	clock.let(most * 3 / 4)
	if st := l.Status(); st.State != link.Connected || w.dialled() != 1 {
		t.Fatalf("%s, dialled %d times: %v", st.State, w.dialled(), st.Err)
	}
	gate.Unlock()
	if _, err := l.Run(soon(t), sh("true")); err != nil || w.dialled() != 1 {
		t.Fatalf("dialled %d times: %v", w.dialled(), err)
	}
	gate.Lock()
	defer gate.Unlock()     // runs before the link is closed
	clock.jumped.Store(0)   // the clock is set back
	defer close(clock.next) // let all further looks through
	clock.let(most + 1)
	eventually.Holds(t, "down", func() bool { return l.Status().State != link.Connected })
	if err := l.Status().Err; err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("down because of %v", err)
	}
}
