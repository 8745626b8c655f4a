// Package eventually lets a test wait for what another goroutine or process brings about. A wait has no deadline of its own: it goes on
// while anything moves among the processes of the test, and fails at a standstill of all of them.
package eventually

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

// Holds waits until ok says that what holds. The test ends here at a standstill.
func Holds(t testing.TB, what string, ok func() bool) {
	t.Helper()
	Succeeds(t, what, func() error {
		if ok() {
			return nil
		}
		return errNotYet
	})
}

// errNotYet says no more than that something does not hold.
var errNotYet = errors.New("it does not hold")

// Succeeds waits until try returns no error. The test ends here at a standstill, with the last one.
func Succeeds(t testing.TB, what string, try func() error) {
	t.Helper()
	p := start()
	for {
		last := try()
		if last == nil {
			return
		}
		switch over := p.over(); {
		case over != nil && errors.Is(last, errNotYet):
			t.Fatalf("it never came about: %s: %v", what, over)
		case over != nil:
			t.Fatalf("it never came about: %s: %v; %v", what, last, over)
		}
		p.pause(time.Sleep)
	}
}

// Receives waits for a value from a channel, or for the channel's end.
func Receives[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	p := start()
	for p.over() == nil {
		var got T
		came := false
		p.pause(func(d time.Duration) {
			late := time.NewTimer(d)
			defer late.Stop()
			select {
			case got = <-from:
				came = true
			case <-late.C:
			}
		})
		if came {
			return got
		}
	}
	t.Fatalf("it never came: %s: %v", what, p.over())
	panic("unreachable")
}

// Silent fails the test when a value comes from the channel for so long: there is no event for what does not happen.
func Silent[T any](t testing.TB, what string, from <-chan T, long time.Duration) {
	t.Helper()
	late := time.NewTimer(long)
	defer late.Stop()
	select {
	case got := <-from:
		t.Fatalf("it came, and must not: %s: %v", what, got)
	case <-late.C:
	}
}

// Context ends at a standstill, or with the test and what it cleans up before.
func Context(t testing.TB) context.Context {
	ctx, cancel := WithPatience(context.Background())
	t.Cleanup(cancel)
	return ctx
}

// Brief is a context that ends while the test waits for that: so long is what the test is about.
func Brief(t testing.TB, long time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), long)
	t.Cleanup(cancel)
	return ctx
}

// WithPatience is Context for what helps tests and knows none of them.
func WithPatience(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	p := start()
	last, at := movement{}, time.Time{}
	var timer *time.Timer
	timer = time.AfterFunc(calm, func() {
		now := look()
		if !at.IsZero() {
			p.add(last, now, time.Since(at))
		}
		last, at = now, time.Now()
		if over := p.over(); over != nil {
			cancel(over)
		} else if ctx.Err() == nil {
			timer.Reset(often)
		}
	})
	return ctx, func() { timer.Stop(); cancel(context.Canceled) }
}

// Cut closes a connection, or what else a test may hang at, at a standstill.
func Cut(t testing.TB, c io.Closer) {
	stop := context.AfterFunc(Context(t), func() { _ = c.Close() })
	t.Cleanup(func() { stop() })
}
