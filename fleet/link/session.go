package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// Lane runs commands over one connection of a link.
type Lane struct {
	name    string        // of the ship
	timeout time.Duration // timeout of its operations
	connect time.Duration // time limit for making the connection before that
	moved   func()        // called when data is transferred; may be nil
	get     func(context.Context) (*conn, error)
}

// connected returns the lane's connection, and makes it if necessary.
func (ln *Lane) connected(ctx context.Context) (*conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, ln.connect, retry.Late(ln.connect))
	defer cancel()
	return ln.get(ctx)
}

// session is one running command. Two pipes connect the caller with the channel, so that a ship that does not read or
// write cannot block the caller after ctx ends.
type session struct {
	name    string
	program string
	conn    *conn
	ssh     *ssh.Session
	pid     int // the process id on the ship, 0 on a terminal
	stderr  Tail
	moved   func()

	from io.Reader // replaces in, or nil
	to   io.Writer // replaces out, or nil

	in    *io.PipeWriter // to the command: the caller writes, copyBothWays reads
	inEnd *io.PipeReader
	out   *io.PipeReader // from the command: copyBothWays writes, the caller reads
	toOut *io.PipeWriter

	done chan struct{}
	err  error // how the command ended; set before done is closed
}

// start runs a command, on a terminal unless term is nil.
func (ln *Lane) start(ctx context.Context, cmd Command, term *Terminal) (*session, error) {
	var line string
	var err error
	if len(cmd.Argv) > 0 || term == nil {
		if line, err = cmd.shellLine(term == nil); err != nil {
			return nil, err
		}
	}
	c, err := ln.connected(ctx)
	if err != nil {
		return nil, err
	}
	opening, cancel := context.WithTimeoutCause(ctx, ln.timeout, retry.Late(ln.timeout))
	defer cancel()
	select {
	case c.slots <- struct{}{}:
	case <-c.dead:
		return nil, c.lostError(ln.name)
	case <-opening.Done():
		return nil, fmt.Errorf("%s: all %d channels are busy: %w", ln.name, channels, context.Cause(opening))
	}
	s := &session{name: ln.name, program: "shell", conn: c, moved: ln.moved, done: make(chan struct{})}
	if len(cmd.Argv) > 0 {
		s.program = cmd.Argv[0]
	}
	if term != nil {
		s.from, s.to = cmd.Stdin, cmd.Stdout
	}
	started := func() (struct{}, error) { return struct{}{}, s.launch(opening, ln.timeout, line, term, cmd.Nests) }
	if _, err := runUntil(opening, started, func(struct{}) { s.endCommand(0, opening.Err()) }); err != nil {
		if c.broken() {
			return nil, c.lostError(ln.name)
		}
		return nil, fmt.Errorf("%s: start %s: %w", ln.name, s.program, err)
	}
	return s, nil
}

// launch opens a channel and starts the command on it. It frees the session's slot: at once if it fails, and
// otherwise when the channel is closed. After opening the channel it ignores ctx until the timeout, since a command
// that may be running can be ended only once its process id is known.
func (s *session) launch(ctx context.Context, timeout time.Duration, line string, term *Terminal, nests bool) (err error) {
	defer func() {
		if err != nil {
			<-s.conn.slots
		}
	}()
	if s.ssh, err = s.conn.session(ctx); err != nil {
		return err
	}
	giveUp := time.AfterFunc(timeout, func() {
		_ = s.ssh.Signal(ssh.SIGTERM)
		s.ssh.Close()
	})
	defer func() {
		giveUp.Stop()
		if err != nil {
			go s.ssh.Close()
		}
	}()
	stdin, err := s.ssh.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := s.ssh.StdoutPipe()
	if err != nil {
		return err
	}
	s.ssh.Stderr = s.metered(&s.stderr)
	if term != nil {
		if err := s.ssh.RequestPty(term.Type, term.Rows, term.Cols, ssh.TerminalModes{}); err != nil {
			return fmt.Errorf("terminal: %w", err)
		}
	}
	if nests {
		_ = s.ssh.Setenv(proto.Nests, "1") // ignored: some servers do not know the variable
	}
	if line == "" {
		err = s.ssh.Shell()
	} else {
		err = s.ssh.Start(line)
	}
	if err != nil {
		return err
	}
	if term == nil {
		if s.pid, stdout, err = readMark(stdout); err != nil {
			return err
		}
	}
	s.copyBothWays(stdin, stdout)
	return nil
}

// copyBothWays copies data between pipes and channel until the channel is closed.
func (s *session) copyBothWays(stdin io.WriteCloser, stdout io.Reader) {
	s.inEnd, s.in = io.Pipe()
	s.out, s.toOut = io.Pipe()
	var in io.Reader = s.inEnd
	if s.from != nil {
		in = s.from
	}
	var out io.Writer = s.toOut
	if s.to != nil {
		out = s.to
	}
	go func() {
		_, err := s.metered(stdin).ReadFrom(in)
		s.inEnd.CloseWithError(err)
		// An aborted command gets no end of file, since it would take a part for the whole.
		if err == nil {
			stdin.Close()
		}
	}()
	go func() {
		_, _ = s.metered(out).ReadFrom(stdout)
		// When the caller is gone, read and drop the rest, as a channel with unread output does not close.
		_, _ = io.Copy(io.Discard, stdout)
		s.toOut.CloseWithError(s.endOfOutput())
	}()
	go func() {
		s.err = s.exitError(s.ssh.Wait())
		close(s.done)
		s.inEnd.CloseWithError(io.ErrClosedPipe)
		<-s.conn.slots
	}()
}

// metered returns a writer that calls moved when something is written.
func (s *session) metered(w io.Writer) meter { return meter{w, s.moved} }

type meter struct {
	io.Writer
	moved func() // or nil
}

func (m meter) Write(p []byte) (int, error) {
	n, err := m.Writer.Write(p)
	if n > 0 && m.moved != nil {
		m.moved()
	}
	return n, err
}

// ReadFrom copies as io.Copy does, with a buffer that is small until much arrives at once. Most sessions live as long as their ship and
// wait: with three buffers of io.Copy for each session, a helm of 100 ships takes a quarter more memory.
func (m meter) ReadFrom(r io.Reader) (total int64, err error) {
	buf := make([]byte, 1<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			written, err := m.Write(buf[:n])
			total += int64(written)
			if err != nil {
				return total, err
			}
		}
		switch {
		case err == io.EOF:
			return total, nil
		case err != nil:
			return total, err
		case n == len(buf) && n < copySize:
			buf = make([]byte, copySize)
		}
	}
}

// copySize is how much io.Copy moves at once, which is what a packet of SSH holds as well.
const copySize = 32 << 10

// endOfOutput tells an end of output from a lost connection, which look the same to the reader of a channel.
func (s *session) endOfOutput() error {
	select {
	case <-s.done:
	case <-time.After(100 * time.Millisecond): // the command has closed its output and goes on
	}
	if !s.conn.broken() {
		return io.EOF
	}
	<-s.done
	if errors.Is(s.err, ErrDown) {
		return s.err
	}
	return io.EOF // the command had ended before the connection was lost
}

// endCommand ends the command with an error, without waiting. Pending reads and writes fail at once. With a grace,
// the command first gets an end of file and that much time to end by itself; then it gets SIGTERM, and then SIGKILL.
// OpenSSH does not end a command without a terminal when its channel is closed, and some versions ignore signals for
// root, so a second command sends the signals too.
func (s *session) endCommand(grace time.Duration, why error) {
	if why == nil {
		why = io.ErrClosedPipe
	}
	s.toOut.CloseWithError(why)
	if grace > 0 {
		s.in.Close()
	} else {
		s.inEnd.CloseWithError(why)
	}
	go func() {
		defer s.ssh.Close()
		if s.pid == 0 {
			return // a closed terminal hangs up the command
		}
		if grace > 0 && s.endsWithin(grace) {
			return
		}
		_ = s.ssh.Signal(ssh.SIGTERM)
		if s.endsWithin(500 * time.Millisecond) {
			return
		}
		s.conn.killGroup(s.pid)
	}()
}

func (s *session) endsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-s.done:
		return true
	case <-s.conn.dead:
		return true
	case <-timer.C:
		return false
	}
}

// session opens a session. A server may still count a session that was just closed, so it retries a full server for a
// while.
func (c *conn) session(ctx context.Context) (*ssh.Session, error) {
	for {
		s, err := c.client.NewSession()
		if err == nil || !isFull(err) {
			return s, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-c.dead:
			return nil, c.err
		case <-ctx.Done():
			return nil, err
		}
	}
}

// maxNoise bounds what a ship's shell may print before a command starts, in bytes.
const maxNoise = 64 << 10

// readMark reads the output up to the process id, and returns the id and a reader of the rest.
func readMark(r io.Reader) (int, io.Reader, error) {
	buf := make([]byte, 0, 4<<10)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if _, rest, ok := bytes.Cut(buf, []byte(mark)); ok {
			if digits, rest, ok := bytes.Cut(rest, []byte("\n")); ok {
				pid, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 10, 31)
				if err != nil || pid < 2 {
					return 0, nil, fmt.Errorf("the ship told %q as process id", digits)
				}
				return int(pid), io.MultiReader(bytes.NewReader(rest), r), nil
			}
		}
		if err != nil || len(buf) > maxNoise {
			return 0, nil, fmt.Errorf("the ship's shell printed this instead of running it: %q", buf[:min(len(buf), 500)])
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}
