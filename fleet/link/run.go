package link

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// Result is the output of a command that succeeded. It comes from the ship and must not be trusted.
type Result struct {
	Stdout []byte // the output, unless the command had a Stdout
	Stderr string // the last lines of standard error, without control characters
}

// Run runs a command until it ends. If the command fails, the error is an *ExitError. If the connection is lost, the
// error wraps ErrDown. If ctx ends, Run ends the command and its process group, and the error wraps that of ctx. To
// the command, a lost connection looks like an end of file, so a command that must do all or nothing needs to know
// the length of its input.
//
// If the command leaves a process in the background, Run waits as long as that holds the command's output open.
func (ln *Lane) Run(ctx context.Context, cmd Command) (Result, error) {
	s, err := ln.start(ctx, cmd, nil)
	if err != nil {
		return Result{}, err
	}
	var collected bytes.Buffer
	out := &limited{to: cmd.Stdout, left: cmd.MaxOutput, endless: cmd.MaxOutput <= 0}
	if cmd.Stdout == nil {
		out.to = &collected
		if out.endless {
			out.endless, out.left = false, 1<<20
		}
	}
	var copyErr error
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, copyErr = io.Copy(out, s.out)
	}()
	broken := make(chan error, 1)
	go s.copyInput(cmd.Stdin, broken)

	err = func() error {
		select {
		case <-copied:
			if copyErr != nil {
				return copyErr
			}
		case err := <-broken:
			return fmt.Errorf("read its input: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-s.done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}()
	if err != nil {
		s.endCommand(0, err)
		<-copied // nothing may be written to Stdout after Run has returned
		return Result{}, fmt.Errorf("%s: %s: %w", ln.name, s.program, err)
	}
	if s.err != nil {
		return Result{}, s.err
	}
	return Result{Stdout: collected.Bytes(), Stderr: s.stderr.String()}, nil
}

// copyInput copies the input to the command. If reading the input fails, the command gets no end of file, since it
// would take a part for the whole.
func (s *session) copyInput(r io.Reader, broken chan<- error) {
	if r != nil {
		source := &source{Reader: r}
		_, _ = io.Copy(s.in, source)
		if source.err != nil {
			broken <- source.err
			return
		}
	}
	s.in.Close()
}

// source records the error of a reader, to tell it from an error of the writer.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// limited is a writer that passes on at most so many bytes.
type limited struct {
	to      io.Writer
	left    int64
	endless bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.endless {
		return l.to.Write(p)
	}
	if int64(len(p)) > l.left {
		return 0, ErrOutput
	}
	l.left -= int64(len(p))
	return l.to.Write(p)
}
