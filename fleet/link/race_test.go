package link

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/retry"
	"ocaptain/tasks/eventually"
)

// TestRace checks that the tailnet is preferred, but that Race does not wait for it longer than the head start.
func TestRace(t *testing.T) {
	t.Parallel()
	const start = 50 * time.Millisecond
	closed := make(chan string, 2)
	answers := func(name string, after time.Duration) func(context.Context) (net.Conn, error) {
		return func(ctx context.Context) (net.Conn, error) {
			if err := retry.Sleep(ctx, after); err != nil {
				return nil, err
			}
			return &named{name: name, closed: closed}, nil
		}
	}
	late := func(ctx context.Context) (net.Conn, error) { // gets its connection after the caller has left
		<-ctx.Done()
		return &named{name: "late", closed: closed}, nil
	}
	fails := func(text string) func(context.Context) (net.Conn, error) {
		return func(context.Context) (net.Conn, error) { return nil, errors.New(text) }
	}
	never := func(ctx context.Context) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
	for what, c := range map[string]struct {
		tailnet, provider func(context.Context) (net.Conn, error)
		second            bool
	}{
		"both answer":              {answers("t", 0), answers("p", 0), false},
		"the tailnet is down":      {fails("down"), answers("p", 0), true},
		"the tailnet hangs":        {never, answers("p", 0), true},
		"the provider is down":     {answers("t", 3*start), fails("down"), false},
		"the provider hangs":       {answers("t", 3*start), never, false},
		"the provider is too late": {answers("t", 3*start), late, false},
	} {
		conn, second, err := Race(t.Context(), start, c.tailnet, c.provider)
		if err != nil || second != c.second {
			t.Errorf("%s: by the second way: %v, %v", what, second, err)
			continue
		}
		_ = conn.Close()
		if <-closed; what == "the provider is too late" {
			if got := <-closed; got != "late" {
				t.Errorf("%s: %s is closed", what, got)
			}
		}
	}
	_, _, err := Race(t.Context(), start, fails("one"), fails("two"))
	if err == nil || !strings.Contains(err.Error(), "one") || !strings.Contains(err.Error(), "two") {
		t.Errorf("both fail: %v", err)
	}
	ctx := eventually.Brief(t, 2*start)
	if _, _, err := Race(ctx, start, never, never); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("both hang: %v", err)
	}
}

type named struct {
	net.Conn
	name   string
	closed chan string
}

func (n *named) Close() error { n.closed <- n.name; return nil }
