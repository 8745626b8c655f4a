package link

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// State is the state of a link.
type State string

// The states of a link. Closed is final.
const (
	Connecting State = "connecting" // the first attempt to connect is under way
	Connected  State = "connected"
	Down       State = "down"    // the connection was lost or never made; the link keeps trying
	Refused    State = "refused" // a server showed another host key; the link tries again at long intervals
	Closed     State = "closed"
)

// Status is the state of a link, since when, and why.
type Status struct {
	State State
	Since time.Time
	Err   error     // why the link is Down or Refused
	Tried time.Time // when the last attempt began, while Down or Refused
	Retry time.Time // when the next attempt begins, while Down or Refused
}

// Errors of calls, for errors.Is.
var (
	// ErrDown is wrapped in the error of every call that found no connection or lost it.
	ErrDown = errors.New("no connection")
	// ErrKey means that the machine accepts none of the hub's keys.
	ErrKey = errors.New("it accepts none of the hub's keys")
	// ErrClosed is wrapped in the error of every call on a closed link.
	ErrClosed = errors.New("the link is closed")
)

// Lost is the error that there is no connection. It wraps ErrDown and the reason.
type Lost struct {
	Name  string    // of the ship
	Since time.Time // since when; zero for now
	Err   error
}

func (l *Lost) Error() string {
	since := ""
	if !l.Since.IsZero() {
		since = " since " + l.Since.Format(time.TimeOnly)
	}
	return fmt.Sprintf("%s: %v%s: %v", l.Name, ErrDown, since, l.Err)
}

func (l *Lost) Unwrap() []error { return []error{ErrDown, l.Err} }

func (s Status) asError(name string) error {
	switch s.State {
	case Closed:
		return fmt.Errorf("%s: %w", name, ErrClosed)
	case Down:
		return &Lost{name, s.Since, s.Err}
	default:
		return s.Err
	}
}

// Status returns the current status of the link.
func (l *Link) Status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status
}

// Statuses yields the current status and then every new one; a slow reader misses some in between, but never the
// last. It ends when ctx does, or after Closed.
func (l *Link) Statuses(ctx context.Context) iter.Seq[Status] {
	return func(yield func(Status) bool) {
		for {
			l.mu.Lock()
			status, changed := l.status, l.changed
			l.mu.Unlock()
			if ctx.Err() != nil || !yield(status) || status.State == Closed {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}

// AwaitConnected waits until the link is connected, even if attempts fail meanwhile. It returns an error at once when
// the link is Refused or Closed, or when ctx ends; then the error is that of the last attempt.
func (l *Link) AwaitConnected(ctx context.Context) error {
	last := l.Status()
	for status := range l.Statuses(ctx) {
		switch status.State {
		case Connected:
			return nil
		case Refused, Closed:
			return status.asError(l.cfg.Name)
		}
		last = status
	}
	if last.Err != nil {
		return fmt.Errorf("connect to %s: %w: %w", l.cfg.Name, ctx.Err(), last.Err)
	}
	return fmt.Errorf("connect to %s: %w", l.cfg.Name, ctx.Err())
}

// set publishes a status together with its connection. It keeps Since if the state does not change. No status follows
// Closed.
func (l *Link) set(status Status, c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status.State == Closed {
		return
	}
	status.Since = time.Now()
	if status.State == l.status.State {
		status.Since = l.status.Since
	}
	l.status, l.conn = status, c
	close(l.changed)
	l.changed = make(chan struct{})
}
