package link

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"ocaptain/fleet/retry"
	"ocaptain/tasks/eventually"
)

// pier accepts connections and knows which are open.
type pier struct {
	net.Listener
	mu   gosync.Mutex
	open int
}

func newPier(t *testing.T) *pier {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &pier{Listener: l}
	t.Cleanup(func() { l.Close() })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			p.add(1)
			go func() {
				_, _ = io.Copy(io.Discard, c)
				c.Close()
				p.add(-1)
			}()
		}
	}()
	return p
}

func (p *pier) add(n int) { p.mu.Lock(); p.open += n; p.mu.Unlock() }

func (p *pier) count() int { p.mu.Lock(); defer p.mu.Unlock(); return p.open }

// Whichever way wins, the other way's connection is closed, even if it is made later. If both ways fail or the caller
// leaves, no connection stays open.
func TestRaceLeaksNothing(t *testing.T) {
	one, two := newPier(t), newPier(t)
	to := func(p *pier, after time.Duration, heeds bool) func(context.Context) (net.Conn, error) {
		return func(ctx context.Context) (net.Conn, error) {
			waits := ctx
			if !heeds { // returns a connection although the caller has left
				waits = context.WithoutCancel(ctx)
			}
			if err := retry.Sleep(waits, after); err != nil {
				return nil, err
			}
			return new(net.Dialer).DialContext(context.WithoutCancel(ctx), "tcp", p.Addr().String())
		}
	}
	fails := func(context.Context) (net.Conn, error) { return nil, errors.New("down") }
	const start = 2 * time.Millisecond
	before := runtime.NumGoroutine()
	for range 20 {
		for _, ways := range [][2]func(context.Context) (net.Conn, error){
			{to(one, 0, true), to(two, 0, true)},
			{to(one, 2*start, true), to(two, 0, true)},
			{to(one, 4*start, false), to(two, 0, true)},
			{to(one, 2*start, true), to(two, 4*start, false)},
			{to(one, 2*start, false), to(two, start, false)},
			{fails, to(two, 0, false)},
			{to(one, 2*start, false), fails},
			{fails, fails},
		} {
			if conn, _, err := Race(t.Context(), start, ways[0], ways[1]); err == nil {
				conn.Close()
			}
			if conn, _, err := Race(eventually.Brief(t, 2*start), start, ways[0], ways[1]); err == nil {
				conn.Close()
			}
		}
	}
	eventually.Holds(t, "all connections are closed", func() bool { return one.count()+two.count() == 0 })
	eventually.Holds(t, "all goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}

// The winner's connection stays open after the race.
func TestRaceLeavesTheWinner(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	defer far.Close()
	ended := make(chan struct{})
	conn, second, err := Race(t.Context(), time.Minute, func(ctx context.Context) (net.Conn, error) {
		context.AfterFunc(ctx, func() { close(ended) })
		return near, nil
	}, nil)
	if err != nil || second {
		t.Fatal(second, err)
	}
	<-ended // all goroutines of the race have ended
	go func() { _, _ = io.Copy(far, strings.NewReader("still here")) }()
	got := make([]byte, 10)
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != "still here" {
		t.Errorf("%q, %v", got, err)
	}
}
