package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/tasks/eventually"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pair connects two ends and closes them with the test.
func pair(t *testing.T, a, b wire.Options) (*wire.Conn, *wire.Conn) {
	t.Helper()
	x, y := net.Pipe()
	left, right := wire.New(x, a), wire.New(y, b)
	t.Cleanup(func() {
		_ = left.Close()
		_ = right.Close()
		left.Wait()
		right.Wait()
	})
	return left, right
}

type text struct {
	S string `json:"s"`
}

func echo(_ context.Context, p text) (text, error) { return p, nil }

func soon(t *testing.T) context.Context {
	t.Helper()
	return eventually.Context(t)
}

// Calls made in both directions at once each get their own answer.
func TestCallsBothWays(t *testing.T) {
	h := wire.Options{Handlers: wire.Handlers{"echo": wire.Handle(echo)}, InFlight: 300}
	a, b := pair(t, h, h)
	var all sync.WaitGroup
	for i := range 200 {
		for _, c := range []*wire.Conn{a, b} {
			all.Go(func() {
				want := strings.Repeat(fmt.Sprint(i), i)
				var got text
				if err := c.Call(soon(t), "echo", text{want}, &got); err != nil || got.S != want {
					t.Errorf("call %d: %v, %.20q", i, err, got.S)
				}
			})
		}
	}
	all.Wait()
}

// Any text arrives unchanged, also in errors.
func TestTextSurvives(t *testing.T) {
	a, _ := pair(t, wire.Options{}, wire.Options{Handlers: wire.Handlers{
		"echo": wire.Handle(echo),
		"fail": wire.Handle(func(_ context.Context, p text) (any, error) { return nil, errors.New(p.S) }),
	}})
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.String().Draw(rt, "s")
		var got text
		if err := a.Call(soon(t), "echo", text{s}, &got); err != nil || got.S != s {
			rt.Fatalf("got %q, %v", got.S, err)
		}
		var refused *wire.Error
		if err := a.Call(soon(t), "fail", text{s}, nil); !errors.As(err, &refused) || refused.Text != s {
			rt.Fatalf("error is %v", err)
		}
	})
}

// When a caller gives up, the context of the handler ends, and the connection stays open.
func TestCancelReachesTheHandler(t *testing.T) {
	entered, left := make(chan struct{}), make(chan struct{})
	a, _ := pair(t, wire.Options{}, wire.Options{Handlers: wire.Handlers{
		"echo": wire.Handle(echo),
		"hang": func(ctx context.Context, _ json.RawMessage) (any, error) {
			close(entered)
			<-ctx.Done()
			close(left)
			return nil, ctx.Err()
		},
	}})
	ctx, cancel := context.WithCancel(soon(t))
	failed := make(chan error, 1)
	go func() { failed <- a.Call(ctx, "hang", nil, nil) }()
	<-entered
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) || wire.Gone(err) {
		t.Errorf("error is %v", err)
	}
	<-left
	if err := a.Call(soon(t), "echo", text{"still"}, nil); err != nil {
		t.Error(err)
	}
}

// When one end goes, calls and handlers at both ends end.
func TestCloseEndsEverything(t *testing.T) {
	entered := make(chan struct{})
	hang := wire.Options{Handlers: wire.Handlers{"hang": func(ctx context.Context, _ json.RawMessage) (any, error) {
		close(entered)
		<-ctx.Done()
		return nil, ctx.Err()
	}}}
	a, b := pair(t, wire.Options{}, hang)
	failed := make(chan error, 1)
	go func() { failed <- a.Call(soon(t), "hang", nil, nil) }()
	<-entered
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !wire.Gone(err) {
		t.Errorf("error is %v", err)
	}
	a.Wait()
	b.Wait()
	if !errors.Is(a.Err(), wire.ErrClosed) {
		t.Errorf("the other end ended with %v", a.Err())
	}
	if err := a.Notify(soon(t), "x", nil); !wire.Gone(err) {
		t.Errorf("notify after the end: %v", err)
	}
}

// If there are more calls than the other end accepts, the rest are refused, and not queued.
func TestInFlightIsBounded(t *testing.T) {
	var running atomic.Int32
	free := make(chan struct{})
	a, _ := pair(t, wire.Options{}, wire.Options{InFlight: 3, Handlers: wire.Handlers{
		"hold": func(context.Context, json.RawMessage) (any, error) {
			running.Add(1)
			<-free
			return nil, nil
		},
	}})
	answers := make(chan error, 10)
	for range 10 {
		go func() { answers <- a.Call(soon(t), "hold", nil, nil) }()
	}
	for range 7 {
		var e *wire.Error
		if err := <-answers; !errors.As(err, &e) || e.Code != wire.CodeBusy {
			t.Errorf("error is %v", err)
		}
	}
	if n := running.Load(); n != 3 {
		t.Errorf("%d handlers ran", n)
	}
	close(free)
	for range 3 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
}

// If a handler panics, returns too much or does not exist, only its own call fails.
func TestHandlersFailAlone(t *testing.T) {
	a, _ := pair(t, wire.Options{}, wire.Options{Handlers: wire.Handlers{
		"panic": func(context.Context, json.RawMessage) (any, error) { panic("boom") },
		"huge":  func(context.Context, json.RawMessage) (any, error) { return strings.Repeat("x", wire.MaxMessage), nil },
		"code": func(context.Context, json.RawMessage) (any, error) {
			return nil, fmt.Errorf("in: %w", &wire.Error{Code: "conflict", Text: "x"})
		},
		"echo": wire.Handle(echo),
	}})
	for method, want := range map[string]wire.Error{
		"panic": {wire.CodePanic, "internal error: boom"},
		"none":  {wire.CodeUnknown, `there is no method "none"`},
		"code":  {"conflict", "in: x"},
	} {
		var e *wire.Error
		if err := a.Call(soon(t), method, nil, nil); !errors.As(err, &e) || *e != want {
			t.Errorf("%s: %v", method, err)
		}
	}
	if err := a.Call(soon(t), "huge", nil, nil); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("huge answer: %v", err)
	}
	if err := a.Call(soon(t), "echo", text{strings.Repeat("x", wire.MaxMessage)}, nil); err == nil || wire.Gone(err) {
		t.Errorf("huge question: %v", err)
	}
	if err := a.Call(soon(t), "echo", []int{1}, nil); err == nil || !strings.Contains(err.Error(), "not valid") {
		t.Errorf("wrong type: %v", err)
	}
	if err := a.Call(soon(t), "echo", text{"still"}, nil); err != nil {
		t.Error(err)
	}
}

// Notifications arrive in the order in which they were sent.
func TestNotificationsKeepOrder(t *testing.T) {
	got := make(chan int, 500)
	a, _ := pair(t, wire.Options{}, wire.Options{Handlers: wire.Handlers{
		"n": wire.Handle(func(_ context.Context, i int) (any, error) { got <- i; return nil, nil }),
	}})
	for i := range 500 {
		if err := a.Notify(soon(t), "n", i); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 500 {
		if n := <-got; n != i {
			t.Fatalf("got %d at place %d", n, i)
		}
	}
}

// A silent other end is noticed, and a connection whose other end answers stays open.
func TestIdle(t *testing.T) {
	a, b := pair(t, wire.Options{Idle: 200 * time.Millisecond}, wire.Options{})
	select {
	case <-a.Done():
		t.Fatalf("a living end was dropped: %v", a.Err())
	case <-eventually.Later(1200 * time.Millisecond): // six times as long as silence is allowed
	}
	_ = b

	x, y := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, y) }()
	c := wire.New(x, wire.Options{Idle: 10 * time.Millisecond})
	<-c.Done()
	if !strings.Contains(c.Err().Error(), "no sign of life") {
		t.Errorf("ended with %v", c.Err())
	}
	_ = y.Close()
	c.Wait()
}
