package link_test

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
)

// held is a connection from which nothing comes while the gate is shut.
type held struct {
	net.Conn
	shut *atomic.Bool
}

func (h held) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	for err == nil && h.shut.Load() {
		time.Sleep(time.Millisecond)
	}
	return n, err
}

// TestSleep loses the network before the machine sleeps, and has it back a while after: only what is silent
// for too long after the sleep is dead.
func TestSleep(t *testing.T) {
	t.Parallel()
	s := startSSHD(t)
	w := newWire(s.addr)
	var shut atomic.Bool
	var jumped atomic.Int64
	t.Cleanup(func() { shut.Store(false) }) // before the link is closed
	cfg := s.config()
	cfg.Dial = func(ctx context.Context) (net.Conn, error) {
		conn, err := w.dial(ctx)
		return held{conn, &shut}, err
	}
	cfg.Interval, cfg.Timeout = 400*time.Millisecond, 4*time.Second
	l := open(t, cfg.At(func() time.Time { return time.Now().Add(time.Duration(jumped.Load())) }))
	if err := l.AwaitConnected(soon(t)); err != nil {
		t.Fatal(err)
	}
	shut.Store(true)
	time.Sleep(cfg.Timeout / 2)
	jumped.Store(int64(8 * time.Hour))
	time.Sleep(cfg.Timeout * 3 / 4)
	if st := l.Status(); st.State != link.Connected || w.dialled() != 1 {
		t.Fatalf("%s, dialled %d times: %v", st.State, w.dialled(), st.Err)
	}
	shut.Store(false)
	if _, err := l.Run(soon(t), sh("true")); err != nil || w.dialled() != 1 {
		t.Fatalf("dialled %d times: %v", w.dialled(), err)
	}
	shut.Store(true)
	jumped.Store(0) // set back
	eventually.Holds(t, "down", func() bool { return l.Status().State != link.Connected })
	if err := l.Status().Err; err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("down because of %v", err)
	}
}
