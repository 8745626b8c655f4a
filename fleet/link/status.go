package link

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// State is where a link stands.
type State string

// The states of a link. Closed is final.
const (
	Connecting State = "connecting" // the first attempt is under way
	Connected  State = "connected"
	Down       State = "down"    // lost or never reached; attempts go on
	Refused    State = "refused" // something showed another host key; attempts go on, seldom
	Closed     State = "closed"
)

// Status is the state of a link, since when, and why.
type Status struct {
	State State
	Since time.Time
	Err   error     // why the link is Down or Refused
	Tried time.Time // when the attempt that ended so began, while Down or Refused
	Retry time.Time // when the next attempt starts, while Down or Refused
}

// The errors that callers tell apart with errors.Is.
var (
	// ErrDown is in every error of a call that found no connection or lost it.
	ErrDown = errors.New("no connection")
	// ErrKey says that the machine accepts no key of this hub.
	ErrKey = errors.New("no key is accepted")
	// ErrClosed is in every error of a call on a link that was closed.
	ErrClosed = errors.New("the link is closed")
)

// Lost says that there is no connection, and why. It is ErrDown, and what it wraps.
type Lost struct {
	Name  string    // of the ship
	Since time.Time // zero for now
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

// Status returns how the link stands now.
func (l *Link) Status() Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status
}

// Statuses yields the present status and then every later one; a slow reader misses those
// in between, never the last. It ends with ctx, or after Closed.
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

// AwaitConnected waits until the link is connected, through failed attempts too. It fails at once when the
// link is Refused or Closed, or when ctx ends, with the reason of the last attempt.
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

// set publishes a status with the connection that belongs to it. While the
// state stays the same, so does Since. Nothing follows Closed.
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
