package live

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"

	"ocaptain/fleet/link"
)

// size is that of a window.
type size struct{ cols, rows int }

// biggest is the biggest window that is shown whole. Of a bigger one, tmux shows the part
// around the cursor.
var biggest = size{500, 200}

const askSize = "display-message -p 'size:#{window_width}x#{window_height}'\n"

// watchSize tells the size of the ship's window, now and whenever it changes, over a client in
// tmux's control mode that gets no output. It is on a terminal of its own, because that hangs up: a
// control client of tmux 3.3a whose pipes are gone never ends, and then tmux does not either.
func watchSize(ctx context.Context, l *link.Link, sizes chan size) error {
	control, err := l.Pty(ctx, tmux("-C", "attach-session", "-f", "no-output,ignore-size", "-t", "=ship"), link.Terminal{})
	if err != nil {
		return err
	}
	defer control.Close()
	if _, err := io.WriteString(control, askSize); err != nil {
		return sizeError(ctx, control, err)
	}
	r := bufio.NewReaderSize(control, 4<<10)
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue // a long line is none that matters
		}
		if err != nil {
			return sizeError(ctx, control, err)
		}
		if n, ok := parseSize(line); ok {
			select {
			case <-sizes:
			default:
			}
			sizes <- n
		} else if bytes.HasPrefix(line, []byte("%layout-change ")) || bytes.HasPrefix(line, []byte("%session-window-changed ")) {
			if _, err := io.WriteString(control, askSize); err != nil {
				return sizeError(ctx, control, err)
			}
		}
	}
}

// sizeError is why the control client ended.
func sizeError(ctx context.Context, control *link.Pty, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		var exit *link.ExitError
		if err = outcome(ctx, control); err == nil || errors.As(err, &exit) {
			return errNoTerminal
		}
	}
	return err
}

// outcome is how a command ended whose output did. A ship may never tell.
func outcome(ctx context.Context, s *link.Pty) error {
	select {
	case <-s.Done():
		return s.Wait()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// parseSize reads the answer to askSize.
func parseSize(line []byte) (size, bool) {
	cols, rows, ok := bytes.Cut(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("size:")), []byte("x"))
	if !ok || !bytes.HasPrefix(line, []byte("size:")) {
		return size{}, false
	}
	w, errW := strconv.ParseUint(string(cols), 10, 16)
	h, errH := strconv.ParseUint(string(rows), 10, 16)
	if errW != nil || errH != nil || w == 0 || h == 0 {
		return size{}, false
	}
	return size{min(int(w), biggest.cols), min(int(h), biggest.rows)}, true
}
