package tailnet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ocaptain/fleet/provider"
)

// crew is what happens to the nodes of an Own that joins nothing real.
type crew struct {
	mu   sync.Mutex
	said []string
	gate chan struct{} // joining waits for it, nil for not at all
	fail error         // what joining says
	deaf bool          // nodes reach nobody
}

func (c *crew) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, fmt.Sprintf(format, args...))
}

func (c *crew) heard(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.said, want) {
		t.Errorf("it came to %q, not to %q", c.said, want)
	}
	c.said = nil
}

type hand struct {
	*crew
	host string
}

func (h hand) ID() string { return "n" + h.host }

func (h hand) Dial(context.Context, string, string) (net.Conn, error) {
	if h.deaf {
		return nil, errors.New("nobody answers")
	}
	near, far := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, far); far.Close() }()
	return near, nil
}

func (h hand) Close() error { h.say("close %s", h.host); return nil }

func (c *crew) own() *Own {
	n := 0
	return &Own{
		Pass: func(context.Context) (Pass, error) { n++; return Pass{Host: fmt.Sprint("hub-", n)}, nil },
		Joined: func(host, id string) error {
			c.say("joined %s %s", host, id)
			return nil
		},
		Left: func(host string) { c.say("left %s", host) },
		join: func(ctx context.Context, _, _ string, p Pass) (node, error) {
			c.say("join %s", p.Host)
			if c.gate != nil {
				select {
				case <-c.gate:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}
			return hand{c, p.Host}, c.fail
		},
	}
}

// A dial that waits no more leaves the joining alone, and any number of them makes one node.
func TestOwnJoinsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crew{gate: make(chan struct{})}
		var needed atomic.Bool
		own := c.own()
		own.Needed = needed.Load
		for range 20 {
			go func() {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				if _, err := own.Dial(ctx, "ship", 22); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("it is not joined yet: %v", err)
				}
			}()
		}
		time.Sleep(3 * time.Second)
		if own.Joins() != true {
			t.Error("it says that it need not join")
		}
		close(c.gate)
		var conns []net.Conn
		for range 3 {
			conn, err := own.Dial(t.Context(), "ship", 22)
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn)
		}
		c.heard(t, "join hub-1", "joined hub-1 nhub-1")
		needed.Store(true)
		own.Rest()
		for _, conn := range conns {
			c.heard(t)
			conn.Close()
			conn.Close()
		}
		time.Sleep(2 * ownLinger)
		c.heard(t)
		needed.Store(false)
		own.Rest()
		c.heard(t, "close hub-1", "left hub-1")
		conn, err := own.Dial(t.Context(), "ship", 22)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		c.heard(t, "join hub-2", "joined hub-2 nhub-2")
		_ = own.Close()
		c.heard(t, "close hub-2", "left hub-2")
		if _, err := own.Dial(t.Context(), "ship", 22); err == nil {
			t.Error("it joins although it is closed")
		}
		time.Sleep(2 * ownLinger)
		c.heard(t)
	})
}

// One that nobody has used in the end does not stay.
func TestOwnUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crew{gate: make(chan struct{})}
		own := c.own()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := own.Dial(ctx, "ship", 22); err == nil {
			t.Error("dialled before it joined")
		}
		close(c.gate)
		c.heard(t, "join hub-1", "joined hub-1 nhub-1")
		time.Sleep(ownLinger)
		c.heard(t, "close hub-1", "left hub-1")
	})
}

// What was made for a join that fails is taken back, and the next one is not made at once.
func TestOwnFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crew{fail: errors.New("not today")}
		own := c.own()
		if _, err := own.Dial(t.Context(), "ship", 22); err == nil || !strings.Contains(err.Error(), "not today") {
			t.Errorf("%v", err)
		}
		c.heard(t, "join hub-1", "left hub-1")
		if _, err := own.Dial(t.Context(), "ship", 22); err == nil || !strings.Contains(err.Error(), "not today; it is tried again in 30s") {
			t.Errorf("%v", err)
		}
		c.heard(t)
		time.Sleep(ownAgain)
		c.fail, c.gate = nil, make(chan struct{}) // never opened
		go func() {
			time.Sleep(time.Second)
			_ = own.Close()
		}()
		if _, err := own.Dial(t.Context(), "ship", 22); err == nil {
			t.Error("it joined while it was closed")
		}
		c.heard(t, "join hub-2", "left hub-2")
	})
}

// A node that the tailnet has forgotten is replaced.
func TestOwnForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &crew{}
		own := c.own()
		own.Needed = func() bool { return true }
		defer own.Close()
		known := error(nil)
		own.Known = func(_ context.Context, host string) error { c.say("ask for %s", host); return known }
		dial := func() {
			t.Helper()
			if conn, err := own.Dial(t.Context(), "ship", 22); err == nil {
				conn.Close()
			} else if !c.deaf {
				t.Error(err)
			}
			synctest.Wait()
		}
		dial()
		c.heard(t, "join hub-1", "joined hub-1 nhub-1")
		c.deaf = true
		dial()
		c.heard(t) // it joined just now, and may not be listed yet
		time.Sleep(ownDoubt)
		dial()
		dial()
		c.heard(t, "ask for hub-1")
		time.Sleep(ownDoubt)
		known = provider.ErrNotFound
		dial()
		c.heard(t, "ask for hub-1", "close hub-1", "left hub-1")
		c.deaf = false
		dial()
		c.heard(t, "join hub-2", "joined hub-2 nhub-2")
	})
}
