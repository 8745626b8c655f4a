package link

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// Result is what a command that succeeded left. It is the ship's word: not to be trusted.
type Result struct {
	Stdout []byte // unless the command had a Stdout
	Stderr string // the last lines, without control characters
}

// Run runs a command to its end. It returns an *ExitError when the command failed, an error with
// ErrDown when the connection was lost meanwhile, and an error with ctx's error when ctx ended: the
// command is then ended too, with its process group. A lost connection looks like an end of file to
// the command, so a command that must be all or nothing needs to know its input's length.
//
// A process that the command left in the background keeps Run waiting while it holds the command's
// output open.
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
		<-copied // nothing is written to Stdout after Run returned
		return Result{}, fmt.Errorf("%s: %s: %w", ln.name, s.program, err)
	}
	if s.err != nil {
		return Result{}, s.err
	}
	return Result{Stdout: collected.Bytes(), Stderr: s.stderr.String()}, nil
}

// copyInput copies the input to the command. When reading it fails, the command gets no
// end of file that would make it take a part for the whole.
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

// source remembers the error of a reader, apart from those of the writer.
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

// limited passes on at most so many bytes.
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
