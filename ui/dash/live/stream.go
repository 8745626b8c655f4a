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

// tmuxCommand is a command of the ship's tmux. It starts none (-N): one that attach-session starts
// has no configuration, and keeps running without when the agent is launched in that moment.
func tmuxCommand(args ...string) link.Command {
	return link.Command{Argv: append([]string{"tmux", "-N", "-L", provision.Tmux, "-u"}, args...)}
}

var errNoTerminal = errors.New("its agent has no terminal: not launched yet, or stopped")

// guess is the size of a window before it is known: the one that ships start with.
var guess = size{200, 50}

// stream shows the ship's terminal until it ends, fails, or ctx ends.
//
// The terminal is as big as the window, whatever the view: tmux would move a smaller one along
// with the cursor, and fill a bigger one with dots. So the picture stays where it is, a
// view of another size costs the ship nothing, and nobody who looks changes the window.
// The title that the ship's tmux sets tells the window's size.
//
// A ship's bytes must not be able to end the dashboard: should the emulator panic, that is
// one more way for a stream to fail.
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

// streamError is why a stream ended: what was given when it was cancelled, otherwise err.
func streamError(ctx context.Context, err error) error {
	if why := context.Cause(ctx); why != nil && !errors.Is(why, context.Canceled) {
		return why
	}
	return err
}

// picture is a screen that a stream draws. It takes the place of the session's when it shows
// the whole window.
type picture struct {
	*session
	pty    *link.Pty
	screen *term.Screen
	size   size
	sized  bool // the window's size is known
	title  string
	sizes  chan size // that the titles tell, the newest
	shown  bool      // the session shows it
	empty  bool      // the window may well be empty
	late   *time.Timer
	spent  int // bytes parsed in this slice of time
	slice  time.Time
}

// read parses what the ship sends.
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

// parseSome parses some bytes when it is this ship's turn. A ship that floods is held up to
// leave time to others; what it sends meanwhile waits at its end of the connection.
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

// parse parses some bytes; this is the ship's turn.
func (p *picture) parse(b []byte) {
	defer func() { <-p.views.parsing }()
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.screen.Write(b)
	p.status.seen = time.Now()
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

// reveal puts the picture in the place of the last one, once it is whole; mu is held. tmux
// begins with an empty screen, which is shown only when nothing follows for a moment.
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

// A ship may send so many bytes in such a time; then it has to wait for the next.
const (
	allowance = 256 << 10
	sliceTime = 20 * time.Millisecond
)

// blankTime is how long an empty screen is taken for the beginning of one that is not, and how
// long the title with the window's size is waited for.
const blankTime = 150 * time.Millisecond

// awaitAllowance waits when the allowance is spent.
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

// sendInput types keys and follows the window's size until ctx ends.
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
			p.sized = true // a tmux that gives no title is shown as it comes
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

// resize makes the terminal as big as the window now is. tmux draws it all anew.
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

// windowSize is the size of the window as it was last seen.
func (s *session) windowSize() size {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.screen == nil {
		return guess
	}
	cols, rows := s.screen.Size()
	return size{cols, rows}
}
