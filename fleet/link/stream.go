package link

import (
	"context"
	"time"
)

// Stream is a command whose standard input and output stay open: Write reaches
// its input, Read its output. It lives until it ends, Close, ctx or the connection
// ends; Close it in any case. Reads and writes may run at the same time.
type Stream struct {
	session *session
	stop    func() bool
}

// Stream starts a long-lived command. Stdin, Stdout and MaxOutput of cmd do not apply.
func (ln *Lane) Stream(ctx context.Context, cmd Command) (*Stream, error) {
	return ln.stream(ctx, cmd, nil)
}

func (ln *Lane) stream(ctx context.Context, cmd Command, term *Terminal) (*Stream, error) {
	s, err := ln.start(ctx, cmd, term)
	if err != nil {
		return nil, err
	}
	return &Stream{session: s, stop: context.AfterFunc(ctx, func() { s.endCommand(0, ctx.Err()) })}, nil
}

// Read returns io.EOF at the end of the command's output, and an error with ErrDown
// when the connection was lost before.
func (s *Stream) Read(p []byte) (int, error) { return s.session.out.Read(p) }

// Write fails with io.ErrClosedPipe when the command has ended.
func (s *Stream) Write(p []byte) (int, error) { return s.session.in.Write(p) }

// CloseWrite gives the command an end of file.
func (s *Stream) CloseWrite() error { return s.session.in.Close() }

// Close returns at once. The command gets an end of file, and signals when it does not end by itself
// within a second; a command on a terminal is hung up.
func (s *Stream) Close() error {
	if s.stop() {
		s.session.endCommand(time.Second, nil)
	}
	return nil
}

// Done is closed when the command has ended or the connection is lost.
func (s *Stream) Done() <-chan struct{} { return s.session.done }

// Wait returns how the command ended: nil, an *ExitError, or an error with ErrDown.
func (s *Stream) Wait() error {
	<-s.session.done
	return s.session.err
}

// Stderr returns the last lines that the command complained with, without control characters.
func (s *Stream) Stderr() string { return s.session.stderr.String() }
