package wire

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A line is a connection between hub and ship for many requests, one after another, so that no process has to start
// for each. It carries frames: one byte for the kind, four for the length, then the content.
const (
	frameTalk  = 't' // from the hub: a request begins; content: its arguments as JSON
	frameData  = 'd' // a piece of standard input, or of standard output
	frameEnd   = 'e' // from the hub: the end of standard input
	frameEnded = 'x' // from the ship: the end of the request; content: its error, if it failed

	maxFrame = 64 << 10
)

// Failed is the error of a request that failed on the ship, in the ship's words.
type Failed struct{ Text string }

func (f *Failed) Error() string { return f.Text }

func writeFrame(w io.Writer, kind byte, content []byte) error {
	b := make([]byte, 5, 5+len(content))
	b[0] = kind
	binary.BigEndian.PutUint32(b[1:], uint32(len(content))) //nolint:gosec // it is at most maxFrame
	_, err := w.Write(append(b, content...))
	return err
}

// readFrame reads a frame, io.EOF if the line ends between two frames. The content is valid until the next call.
func readFrame(r io.Reader, buf []byte) (kind byte, content []byte, err error) {
	if _, err := io.ReadFull(r, buf[:5]); err != nil {
		return 0, nil, err
	}
	kind = buf[0]
	n := binary.BigEndian.Uint32(buf[1:])
	if n > maxFrame {
		return 0, nil, errors.New("a frame is too long")
	}
	if _, err := io.ReadFull(r, buf[:n]); err != nil {
		return 0, nil, noEnd(err)
	}
	return kind, buf[:n], nil
}

// noEnd turns io.EOF into io.ErrUnexpectedEOF.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// frames is a writer that sends its input as data frames.
type frames struct{ w io.Writer }

func (f frames) Write(p []byte) (n int, err error) {
	for n < len(p) {
		piece := p[n:min(len(p), n+maxFrame)]
		if err := writeFrame(f.w, frameData, piece); err != nil {
			return n, err
		}
		n += len(piece)
	}
	return n, nil
}

// Talk makes one request over a line, as the hub's end: it sends all of stdin, and writes the output to stdout. If
// the request failed on the ship, the error is a *Failed. After an error, close the line; until then a goroutine may
// still read from stdin and write to stdout.
func Talk(ctx context.Context, line io.ReadWriter, args []string, stdin io.Reader, stdout io.Writer) error {
	begin, err := json.Marshal(args)
	if err != nil {
		return err
	}
	if err := writeFrame(line, frameTalk, begin); err != nil {
		return err
	}
	parts := make(chan error, 2)
	go func() {
		_, err := io.Copy(frames{line}, stdin)
		if err == nil { // after an error the ship must not take a part for the whole
			err = writeFrame(line, frameEnd, nil)
		}
		parts <- err
	}()
	go func() { parts <- hearTalk(line, stdout) }()
	for range 2 {
		select {
		case err := <-parts:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// hearTalk writes the output of a request to stdout, until its end.
func hearTalk(line io.Reader, stdout io.Writer) error {
	buf := make([]byte, maxFrame)
	for {
		kind, content, err := readFrame(line, buf)
		switch {
		case err != nil:
			return noEnd(err)
		case kind == frameData:
			if _, err := stdout.Write(content); err != nil {
				return err
			}
		case kind == frameEnded && len(content) == 0:
			return nil
		case kind == frameEnded:
			return &Failed{strings.ToValidUTF8(string(content), "?")}
		default:
			return fmt.Errorf("a frame of kind %q", kind)
		}
	}
}

// ServeLine is the ship's end of a line: it calls serve for each request until one fails or the hub closes the line.
func ServeLine(ctx context.Context, in io.Reader, out io.Writer, serve func(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error) error {
	in = bufio.NewReaderSize(in, maxFrame)
	buf := make([]byte, maxFrame)
	for ctx.Err() == nil {
		kind, content, err := readFrame(in, buf)
		if errors.Is(err, io.EOF) {
			return nil
		}
		var args []string
		if err == nil && kind != frameTalk {
			err = fmt.Errorf("a frame of kind %q", kind)
		}
		if err == nil {
			err = json.Unmarshal(content, &args)
		}
		if err != nil {
			return fmt.Errorf("line: %w", err)
		}
		stdin := &talkInput{line: in, buf: buf}
		if failed := serve(ctx, args, stdin, frames{out}); failed != nil { // serve may still read from stdin, so the line ends here
			return writeFrame(out, frameEnded, []byte(Cut(failed.Error(), maxFrame/2)))
		}
		if _, err := io.Copy(io.Discard, stdin); err != nil {
			return fmt.Errorf("line: %w", err)
		}
		if err := writeFrame(out, frameEnded, nil); err != nil {
			return fmt.Errorf("line: %w", err)
		}
	}
	return context.Cause(ctx)
}

// talkInput is the standard input of one request.
type talkInput struct {
	line io.Reader
	buf  []byte
	left []byte
	err  error
}

func (t *talkInput) Read(p []byte) (int, error) {
	for len(t.left) == 0 && t.err == nil {
		kind, content, err := readFrame(t.line, t.buf)
		switch {
		case err != nil:
			t.err = noEnd(err)
		case kind == frameEnd:
			t.err = io.EOF
		case kind == frameData:
			t.left = content
		default:
			t.err = fmt.Errorf("a frame of kind %q", kind)
		}
	}
	if len(t.left) == 0 {
		return 0, t.err
	}
	n := copy(p, t.left)
	t.left = t.left[n:]
	return n, nil
}
