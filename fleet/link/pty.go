package link

import "context"

// Terminal describes the terminal of a command.
type Terminal struct {
	Type       string // value of TERM, such as xterm-256color
	Cols, Rows int
}

// Pty is a command on a terminal of its own.
type Pty struct{ *Stream }

// StartPty starts a command on a terminal, or the login shell if cmd has no Argv. A server may refuse variables
// before the command, so the shell sets Env.
//
// If cmd has Stdin or Stdout, they replace Write or Read, and are connected directly to the channel. Both must return
// at once when the Pty is closed.
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

// Resize sends the terminal's new size to the ship. It does not wait for an answer.
func (p *Pty) Resize(cols, rows int) error {
	return p.session.ssh.WindowChange(rows, cols)
}
