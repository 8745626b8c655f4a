// Package attach hands the captain's whole terminal to a ship: raw bytes both ways, until
// ctrl-q, and the terminal as it was afterwards whatever happened.
package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
)

// Options say how to attach.
type Options struct {
	Ship       string
	Type       string // of the captain's terminal, as in TERM
	Cols, Rows int    // of the captain's terminal, as far as known: Run asks again
	TrueColor  bool   // it shows all colours, as COLORTERM says
	Onward     string // what more can be typed than ctrl-q, as the captain is told; "" for nothing
	Login      bool   // a login shell beside the agent, which ctrl-q does not leave

	// Closed, when there is one, is called once when the ship is left.
	Closed func()
}

// Command is a ship's terminal that waits to be given the captain's. It is a command that
// Bubble Tea can execute: Open it while the dashboard is still on the screen, then Run it.
type Command struct {
	ship  string
	link  *link.Link
	pty   *link.Pty
	login bool
	cols  int // of the ship's terminal
	rows  int
	typed *queue
	shows *gate
	rest  []byte // what was typed behind the ctrl-q that left

	stdin  io.Reader
	stdout io.Writer
	ctx    context.Context
	closed func()
	once   sync.Once
}

// noTerminal is the exit code of attachScript when the agent has no terminal.
const noTerminal = 41

// attachScript makes the agent's window as big as the captain's terminal, then attaches.
// Windows of ships have a size of their own: only this changes it. A terminal that the ship
// has never heard of is most likely one that xterm's words are good enough for.
var attachScript = fmt.Sprintf(`infocmp "$TERM" >/dev/null 2>&1 || TERM=xterm-256color
tmux -L "$1" has-session -t =ship 2>/dev/null || exit %d
tmux -L "$1" resize-window -t =ship: -x "$2" -y "$3" 2>/dev/null
exec tmux -N -L "$1" -u $4 attach-session -t =ship \; display-message -d %d "$5"
`, noTerminal, greeting.Milliseconds())

// greeting is how long a line on the captain's screen says how to leave. His tmux on the ship draws it there, takes it away by
// itself, and at the first key; the agent's screen has nothing of it.
const greeting = 4 * time.Second

// leaveText says how to leave.
func leaveText(ship string, login bool) string {
	if login {
		return clean.Line(ship) + ": a login shell; exit leaves"
	}
	return clean.Line(ship) + ": ctrl-q leaves"
}

// hint says how to leave, and what else may be typed.
func hint(o Options) string {
	if o.Onward == "" {
		return leaveText(o.Ship, false)
	}
	return leaveText(o.Ship, false) + "; " + o.Onward
}

// features tells tmux what its terminfo may not: that the captain's terminal shows all colours.
func features(o Options) string {
	if o.TrueColor {
		return "-TRGB"
	}
	return ""
}

// answer is how long the ship may take to show something.
const answer = 15 * time.Second

// Open attaches to the ship over its link and returns when the ship has shown something; the
// captain's terminal is not touched. The visit ends when ctx does. Whoever opens must Run or Close.
func Open(ctx context.Context, l *link.Link, o Options) (*Command, error) {
	c := &Command{
		ship: o.Ship, link: l, login: o.Login, cols: o.Cols, rows: o.Rows, ctx: ctx, closed: o.Closed,
		typed: newQueue(), shows: newGate(o.Ship, o.Login),
	}
	if c.cols <= 0 || c.rows <= 0 {
		c.cols, c.rows = 80, 24
	}
	run := link.Command{Stdin: c.typed, Stdout: c.shows}
	if !o.Login {
		run.Argv = []string{"/bin/sh", "-c", attachScript, "attach", provision.Tmux, strconv.Itoa(c.cols), strconv.Itoa(c.rows), features(o), hint(o)}
	}
	pty, err := l.StartPty(ctx, run, link.Terminal{Type: o.Type, Cols: c.cols, Rows: c.rows})
	if err == nil {
		c.pty = pty
		err = c.wait()
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// wait waits until the ship shows something. A login shell may have nothing to say.
func (c *Command) wait() error {
	if c.login {
		return nil
	}
	select {
	case <-c.shows.first:
		return nil
	case <-c.pty.Done():
	case <-time.After(answer):
		return fmt.Errorf("%s: its terminal showed nothing for %s", c.ship, answer)
	}
	err := c.pty.Wait()
	var exit *link.ExitError
	switch {
	case errors.As(err, &exit) && exit.Code == noTerminal:
		return fmt.Errorf("%s: its agent has no terminal: it is not launched, or was stopped; look around with: ocaptain shell %s --raw", c.ship, c.ship)
	case err == nil:
		return fmt.Errorf("%s: the attach ended at once", c.ship)
	}
	return err
}

// SetStdin says where keys come from; it must be a terminal.
func (c *Command) SetStdin(r io.Reader) { c.stdin = r }

// SetStdout says where the ship's bytes go.
func (c *Command) SetStdout(w io.Writer) { c.stdout = w }

// SetStderr is there for Bubble Tea: nothing is ever written to it.
func (c *Command) SetStderr(io.Writer) {}

// UnreadInput is what was typed behind the ctrl-q that left, and was meant for whoever is next.
func (c *Command) UnreadInput() []byte { return c.rest }

// Close leaves the ship. Run does it too.
func (c *Command) Close() {
	c.once.Do(func() {
		c.typed.closeInput()
		c.shows.close()
		if c.pty != nil {
			_ = c.pty.Close()
		}
		if c.closed != nil {
			c.closed()
		}
	})
}
