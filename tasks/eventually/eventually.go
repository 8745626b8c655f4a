// Package eventually makes a test wait for what another goroutine or process does. A wait has no deadline of its own: it continues
// while any process of the test moves, and fails at a standstill of all of them.
package eventually

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

// Holds waits until ok returns true. what describes the condition. At a standstill Holds ends the test.
func Holds(t testing.TB, what string, ok func() bool) {
	t.Helper()
	Succeeds(t, what, func() error {
		if ok() {
			return nil
		}
		return errNotYet
	})
}

// errNotYet means only that the condition does not hold.
var errNotYet = errors.New("it does not hold")

// Succeeds waits until try returns no error. At a standstill it ends the test with the last error.
func Succeeds(t testing.TB, what string, try func() error) {
	t.Helper()
	p := Begin()
	for {
		last := try()
		if last == nil {
			return
		}
		switch over := p.Over(); {
		case over != nil && errors.Is(last, errNotYet):
			t.Fatalf("it never came about: %s: %v", what, over)
		case over != nil:
			t.Fatalf("it never came about: %s: %v; %v", what, last, over)
		}
		p.Pause(time.Sleep)
	}
}

// Receives waits for a value from a channel, or until the channel is closed.
func Receives[T any](t testing.TB, what string, from <-chan T) (got T) {
	t.Helper()
	p := Begin()
	for p.Over() == nil {
		came := false
		p.Pause(func(d time.Duration) {
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
	t.Fatalf("it never came: %s: %v", what, p.Over())
	return got
}

// Later is time.After, for a test that does something now and then, or checks that something does not happen.
// A test must not wait with it.
func Later(d time.Duration) <-chan time.Time { return time.After(d) }

// Context returns a context that ends when the test comes to a standstill, or when its cleanup begins.
func Context(t testing.TB) context.Context {
	ctx, cancel := WithPatience(context.Background())
	t.Cleanup(cancel)
	return ctx
}

// Brief returns a context with a real deadline, for a test of that deadline.
func Brief(t testing.TB, long time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), long)
	t.Cleanup(cancel)
	return ctx
}

// WithPatience is Context for helpers that have no testing.TB.
func WithPatience(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	w := &wait{Begin(), cancel}
	begin := time.AfterFunc(calm, func() { watched.add(ctx, w) })
	context.AfterFunc(ctx, func() {
		begin.Stop()
		watched.remove(w)
	})
	return ctx, func() { cancel(context.Canceled) }
}

// Cut closes c, such as a connection that the test hangs on, and fails the test at a standstill.
func Cut(t testing.TB, c io.Closer) {
	ctx := Context(t)
	stop := context.AfterFunc(ctx, func() {
		t.Error("it hangs:", context.Cause(ctx))
		_ = c.Close()
	})
	t.Cleanup(func() { stop() })
}
