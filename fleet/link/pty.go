package link

import "context"

// Terminal is what a command on a terminal finds there.
type Terminal struct {
	Type       string // as in TERM, e.g. xterm-256color
	Cols, Rows int
}

// Pty is a command on a terminal of its own.
type Pty struct{ *Stream }

// StartPty starts a command on a terminal, or the login shell when cmd has no Argv.
// The ship decides whether it takes Env before the command; here it is set by the shell.
//
// Stdin and Stdout of cmd, when there are any, take the place of Write and Read, with nothing
// between them and the channel. Both must return at once when the Pty was closed.
func (ln *Lane) StartPty(ctx context.Context, cmd Command, term Terminal) (*Pty, error) {
	if term.Type == "" {
		term.Type = "xterm-256color"
	}
	if term.Cols <= 0 || term.Rows <= 0 {
		term.Cols, term.Rows = 80, 24
	}
	s, err := ln.stream(ctx, cmd, &term)
	if err != nil {
		return nil, err
	}
	return &Pty{s}, nil
}

// Resize tells the ship the new size of the terminal. It does not wait for it.
func (p *Pty) Resize(cols, rows int) error {
	return p.session.ssh.WindowChange(rows, cols)
}
