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

// Receives waits for a value from a channel, or for the channel's end.
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

// Later is time.After for what a test does now and then, or looks whether it does not happen. It is no patience.
func Later(d time.Duration) <-chan time.Time { return time.After(d) }

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
	w := &wait{Begin(), cancel}
	begin := time.AfterFunc(calm, func() { watched.add(ctx, w) })
	context.AfterFunc(ctx, func() {
		begin.Stop()
		watched.remove(w)
	})
	return ctx, func() { cancel(context.Canceled) }
}

// Cut fails the test at a standstill, and closes the connection, or what else the test hangs at.
func Cut(t testing.TB, c io.Closer) {
	ctx := Context(t)
	stop := context.AfterFunc(ctx, func() {
		t.Error("it hangs:", context.Cause(ctx))
		_ = c.Close()
	})
	t.Cleanup(func() { stop() })
}
