package link

import (
	"context"
	"time"
)

// Stream is a command whose standard input and output stay open: Write writes to its input, and Read reads its
// output. It lives until the command ends, Close is called, or ctx or the connection ends. Call Close in any case.
// Read and Write may be called at the same time.
type Stream struct {
	session *session
	stop    func() bool
}

// Stream starts a long-running command. It ignores the fields Stdin, Stdout and MaxOutput of cmd.
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

// Read returns io.EOF at the end of the command's output. If the connection was lost before, the error wraps ErrDown.
func (s *Stream) Read(p []byte) (int, error) { return s.session.out.Read(p) }

// Write fails with io.ErrClosedPipe when the command has ended.
func (s *Stream) Write(p []byte) (int, error) { return s.session.in.Write(p) }

// CloseWrite sends the command an end of file.
func (s *Stream) CloseWrite() error { return s.session.in.Close() }

// Close ends the command, and returns at once. The command gets an end of file, and signals if it has not ended after
// a second; a command on a terminal is hung up.
func (s *Stream) Close() error {
	if s.stop() {
		s.session.endCommand(time.Second, nil)
	}
	return nil
}

// Done returns a channel that is closed when the command has ended or the connection is lost.
func (s *Stream) Done() <-chan struct{} { return s.session.done }

// Wait waits until the command has ended. It returns nil, an *ExitError, or an error that wraps ErrDown.
func (s *Stream) Wait() error {
	<-s.session.done
	return s.session.err
}

// Stderr returns the last lines of the command's standard error, without control characters.
func (s *Stream) Stderr() string { return s.session.stderr.String() }
