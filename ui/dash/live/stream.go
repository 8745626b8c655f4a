package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
	"ocaptain/ui/term"
)

// tmuxCommand returns a command for the ship's tmux. It never starts a server (-N): a server that
// attach-session starts has no configuration, and if the agent is launched at that moment, it keeps
// running without one.
func tmuxCommand(args ...string) link.Command {
	return link.Command{Argv: append([]string{"tmux", "-N", "-L", provision.Tmux, "-u"}, args...)}
}

var errNoTerminal = errors.New("its agent has no terminal: not launched yet, or stopped")

// guess is the size of a new ship's window, used until the size is known.
var guess = size{200, 50}

// stream shows the ship's terminal until the terminal ends or fails, or ctx ends.
//
// Our terminal is as big as the window, whatever the view's size: tmux would scroll a smaller
// terminal along with the cursor, and fill a larger one with dots. So the picture stays in place, a
// view of another size costs the ship nothing, and no view changes the window. The title that the
// ship's tmux sets contains the window's size.
//
// A ship's bytes must not end the dashboard: if the emulator panics, the stream fails like for any
// other error.
func (s *session) stream(ctx context.Context, l *link.Link) (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = fmt.Errorf("the view failed: %v", crash)
		}
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sizes := make(chan size, 1)
	now := s.windowSize()
	pty, err := l.StartPty(ctx, tmuxCommand("-T", "256,RGB,usstyle,overline,strikethrough,title", "attach-session", "-f", "ignore-size", "-t", "=ship"), link.Terminal{Cols: now.cols, Rows: now.rows})
	if err != nil {
		return streamError(ctx, err)
	}
	defer pty.Close()
	late := time.AfterFunc(patience, func() { cancel(errSilent) })
	defer late.Stop()
	p := &picture{session: s, pty: pty, size: now, screen: term.New(now.cols, now.rows, 0), late: late, sizes: sizes}
	l.SetPace(func(n int) { p.pace(ctx, n) })
	defer l.SetPace(nil)
	done := make(chan struct{})
	defer func() { cancel(nil); <-done }()
	go func() {
		defer close(done)
		p.sendInput(ctx, sizes)
		_ = pty.Close()
	}()
	err = p.read(ctx)
	cancel(err)
	return streamError(ctx, err)
}

// streamError returns the cause if ctx was cancelled, otherwise err.
func streamError(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil && !errors.Is(why, context.Canceled) {
		return why
	}
	return err
}

// picture is a screen that a stream draws. Once it shows the whole window, it replaces the
// session's screen.
type picture struct {
	*session
	pty    *link.Pty
	screen *term.Screen
	size   size
	sized  bool // the window's size is known
	title  string
	sizes  chan size // newest size from a title
	shown  bool      // it is the session's screen
	empty  bool      // the window may really be empty
	late   *time.Timer
	spent  int // bytes parsed in this period
	slice  time.Time
	flow   flow
}

// read parses the ship's output.
func (p *picture) read(ctx context.Context) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := p.pty.Read(buf)
		if n > 0 && !p.parseSome(ctx, buf[:n]) {
			return ctx.Err()
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
		var exit *link.ExitError
		if err = outcome(ctx, p.pty); errors.As(err, &exit) && !p.shown {
			return errNoTerminal
		}
		return err
	}
}

// parseSome parses some bytes in this ship's turn. A flooding ship must wait, so that others get
// time; its further output waits on its side.
func (p *picture) parseSome(ctx context.Context, b []byte) bool {
	select {
	case p.views.parsing <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	p.parse(b)
	p.views.changed()
	return p.awaitAllowance(ctx, len(b))
}

// parse parses some bytes; the caller has the turn.
func (p *picture) parse(b []byte) {
	defer func() { <-p.views.parsing }()
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.screen.Write(b)
	p.status.seen = time.Now()
	if p.shown {
		p.ahead.Check(p.status.seen, p.screen)
	}
	if title := p.screen.Title(); title != p.title {
		p.title = title
		if n, ok := titled(title); ok {
			select {
			case <-p.sizes:
			default:
			}
			p.sizes <- n
		}
	}
	p.reveal()
}

// reveal makes the picture the session's screen once it is complete; the caller holds mu. tmux
// begins with an empty screen; reveal shows that only when nothing follows for a moment.
func (p *picture) reveal() {
	if p.shown || !p.sized || p.screen.Changes() == 0 {
		return
	}
	if cols, rows := p.screen.Size(); !p.empty && usedRows(p.screen, cols, rows) == 0 {
		return
	}
	p.shown, p.fresh = true, true
	p.late.Stop()
	p.session.screen = p.screen
	p.status = status{state: live, seen: p.status.seen}
}

// A ship may send this many bytes in each period.
const (
	allowance = 256 << 10
	sliceTime = 20 * time.Millisecond
)

// blankTime is how long an empty screen counts as unfinished, and how long to wait for the title
// with the window's size.
const blankTime = 150 * time.Millisecond

// awaitAllowance waits for the next period when the allowance is spent.
func (p *picture) awaitAllowance(ctx context.Context, n int) bool {
	now := time.Now()
	if now.Sub(p.slice) >= sliceTime {
		p.slice, p.spent = now, 0
	}
	if p.spent += n; p.spent < allowance {
		return true
	}
	select {
	case <-time.After(sliceTime - now.Sub(p.slice)):
		return true
	case <-ctx.Done():
		return false
	}
}

// sendInput sends keys and follows the window's size until ctx ends.
func (p *picture) sendInput(ctx context.Context, sizes <-chan size) {
	typing := make(chan struct{})
	go func() {
		defer close(typing)
		for {
			select {
			case b := <-p.keys:
				if _, err := p.pty.Write(b); err != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	blank := time.NewTimer(blankTime)
	defer blank.Stop()
	for {
		select {
		case n := <-sizes:
			p.resize(n)
		case <-blank.C:
			p.mu.Lock()
			p.empty = true
			p.sized = true // without a title, show the picture as it is
			p.reveal()
			p.mu.Unlock()
			p.views.changed()
		case <-ctx.Done():
			_ = p.pty.Close()
			<-typing
			return
		}
	}
}

// resize makes our terminal as big as the window. tmux then redraws everything.
func (p *picture) resize(n size) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sized = true
	if n != p.size {
		p.size = n
		p.screen.Resize(n.cols, n.rows)
		_ = p.pty.Resize(n.cols, n.rows)
		return
	}
	p.reveal()
	p.views.changed()
}

// windowSize returns the last known size of the window.
func (s *session) windowSize() size {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.screen == nil {
		return guess
	}
	cols, rows := s.screen.Size()
	return size{cols, rows}
}
