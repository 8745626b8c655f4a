// Package attach hands the captain's whole terminal to a ship: raw bytes both ways until ctrl-q,
// and afterwards the terminal as it was, whatever happened.
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
	"ocaptain/ui/term/predict"
)

// Options say how to attach.
type Options struct {
	Ship       string
	Type       string // type of the captain's terminal, as in TERM
	Cols, Rows int    // size of the captain's terminal, if known; Run asks the terminal again
	TrueColor  bool   // the terminal shows all colours, as COLORTERM says
	Onward     string // what the captain may type besides ctrl-q, in words; "" for nothing
	Login      bool   // a login shell instead of the agent; ctrl-q does not leave it

	// Predict says when typed text is shown before the ship has echoed it. In a login shell it never is.
	Predict predict.Mode

	// Closed is called once when the captain leaves the ship; it may be nil.
	Closed func()
}

// Command is a ship's terminal, ready for the captain's. Bubble Tea can execute it: Open it while
// the dashboard is still on the screen, then Run it.
type Command struct {
	ship  string
	link  *link.Link
	pty   *link.Pty
	login bool
	cols  int // size of the ship's terminal
	rows  int
	typed *queue
	shows *gate
	rest  []byte // bytes typed after the ctrl-q that ended the visit

	stdin  io.Reader
	stdout io.Writer
	ctx    context.Context
	closed func()
	once   sync.Once
}

// noTerminal is the exit code of attachScript when the agent has no terminal.
const noTerminal = 41

// attachScript resizes the agent's window to the captain's terminal, then attaches. Windows of
// ships have a size of their own: only this script changes it. If the ship does not know the
// captain's TERM, the script uses that of xterm, which most terminals understand.
var attachScript = fmt.Sprintf(`infocmp "$TERM" >/dev/null 2>&1 || TERM=xterm-256color
tmux -L "$1" has-session -t =ship 2>/dev/null || exit %d
tmux -L "$1" resize-window -t =ship: -x "$2" -y "$3" 2>/dev/null
exec tmux -N -L "$1" -u $4 attach-session -t =ship \; display-message -d %d "$5"
`, noTerminal, greeting.Milliseconds())

// greeting is how long a line on the captain's screen says how to leave. The captain's tmux client on the ship draws the line,
// and removes it after this time or at the first key; the agent's screen stays free of it.
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

// features returns the option that tells tmux about true colour, which its terminfo entry may lack.
func features(o Options) string {
	if o.TrueColor {
		return "-TRGB"
	}
	return ""
}

// answer is how long Open waits for the ship to show something.
const answer = 15 * time.Second

// Open attaches to the ship over its link and returns when the ship has shown something; it does
// not touch the captain's terminal. The visit ends when ctx does. The caller must Run or Close the
// Command.
func Open(ctx context.Context, l *link.Link, o Options) (*Command, error) {
	if o.Cols <= 0 || o.Rows <= 0 {
		o.Cols, o.Rows = 80, 24
	}
	if o.Login {
		o.Predict = predict.Never // what its programs do to the terminal before is not known
	}
	c := &Command{
		ship: o.Ship, link: l, login: o.Login, cols: o.Cols, rows: o.Rows, ctx: ctx, closed: o.Closed,
		typed: newQueue(), shows: newGate(o.Ship, o.Login, newAhead(o.Predict, o.Cols, o.Rows)),
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

// wait waits until the ship shows something, but not for a login shell, which may show nothing.
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

// SetStdin sets where keys come from; it must be a terminal.
func (c *Command) SetStdin(r io.Reader) { c.stdin = r }

// SetStdout sets where the ship's bytes go.
func (c *Command) SetStdout(w io.Writer) { c.stdout = w }

// SetStderr does nothing; Bubble Tea requires it.
func (c *Command) SetStderr(io.Writer) {}

// UnreadInput returns what was typed after the ctrl-q that left, for the next reader.
func (c *Command) UnreadInput() []byte { return c.rest }

// Close leaves the ship. Run calls it too.
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
