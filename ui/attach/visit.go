package attach

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"github.com/charmbracelet/x/term"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
)

// read reads typed bytes until the visit is over. It passes keys on itself, since each goroutine in
// between would delay them.
func (v *visit) read(in io.Reader) {
	defer close(v.gone)
	buf := make([]byte, 32<<10)
	for {
		n, err := in.Read(buf)
		if n > 0 && v.handleInput(buf[:n]) {
			v.left <- nil
		}
		runtime.Gosched() // let the link run before this thread waits in the system
		if err != nil {
			v.left <- fmt.Errorf("terminal: %w", err)
			return
		}
	}
}

// handleInput passes typed bytes on, and reports whether the captain leaves.
func (v *visit) handleInput(b []byte) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.over:
		v.rest = append(v.rest, b...)
		v.heard.Send()
		return false
	case v.login:
		v.begun = noteBegunAnswer(v.begun, b)
		v.typed.add(b)
		return false
	}
	v.begun = noteBegunAnswer(v.begun, b)
	send, rest, leave := v.keys.split(b)
	v.typed.add(send)
	if leave {
		v.over, v.rest = true, append(v.rest, rest...)
		return true
	}
	select {
	case v.sent <- bytes.Clone(send):
	default: // without this key, the guesses prove wrong and begin again
	}
	if v.keys.patience() > 0 {
		v.stirred.Send()
	}
	return false
}

// guess draws guesses about the echo of keys until the visit is over. It has its own goroutine since the terminal may take no output, and
// the captain must be able to leave all the same.
func (v *visit) guess() {
	late := time.NewTimer(time.Hour)
	defer late.Stop()
	for {
		select {
		case keys := <-v.sent:
			late.Reset(v.shows.guess(func(a *ahead) []byte { return a.typed(time.Now(), keys) }))
		case size := <-v.sized:
			v.shows.guess(func(a *ahead) []byte { return a.resize(size[0], size[1]) })
		case <-late.C:
			v.shows.guess(func(a *ahead) []byte { return a.look(time.Now()) })
		case <-v.stop:
			return
		}
	}
}

// setTimer sets the timer for bytes that may come late.
func (v *visit) setTimer(timer *time.Timer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if d := v.keys.patience(); d > 0 {
		timer.Reset(d)
	} else {
		timer.Stop()
	}
}

// handleTimeout ends the wait for more bytes, and reports whether the captain leaves. If a key came
// meanwhile, it does nothing.
func (v *visit) handleTimeout() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.over || v.keys.patience() == 0 {
		return false
	}
	send, rest, leave := v.keys.timeOut()
	v.typed.add(send)
	if leave {
		v.over, v.rest = true, append(v.rest, rest...)
	}
	return leave
}

// resize passes the size of the captain's terminal on, the newest when several arrive.
func (v *visit) resize(sizes chan [2]int) {
	cols, rows, err := term.GetSize(v.tty.Fd())
	if err != nil || cols <= 0 || rows <= 0 || cols == v.cols && rows == v.rows {
		return
	}
	v.cols, v.rows = cols, rows
	for _, to := range []chan [2]int{sizes, v.sized} {
		select {
		case <-to:
		default:
		}
		to <- [2]int{cols, rows}
	}
}

// follow keeps the ship's terminal and the agent's window as large as the captain's terminal.
func (v *visit) follow(ctx context.Context, sizes <-chan [2]int) {
	for {
		select {
		case size := <-sizes:
			_ = v.pty.Resize(size[0], size[1])
			if v.login {
				break
			}
			ctx, cancel := context.WithTimeout(ctx, answer)
			// If this fails, the window keeps its size: the captain sees a part of it, or dots around it.
			_, _ = v.link.Run(ctx, link.Command{Argv: []string{
				"tmux", "-L", provision.Tmux, "resize-window", "-t", "=ship:", "-x", strconv.Itoa(size[0]), "-y", strconv.Itoa(size[1]),
			}})
			cancel()
		case <-v.stop:
			return
		case <-ctx.Done():
			return
		}
	}
}
