package gitflow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"time"
	"unicode"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// hangUp is how long a remote has to end once its conversation failed.
const hangUp = time.Second

// takeReply makes use of a reply and of the pack behind it.
type takeReply func(ctx context.Context, p reply, in *bufio.Reader) error

// talk has one conversation with a remote: it sends the request, then what pack writes, and hands over the reply.
// Whatever the remote does, talk ends when ctx or the deadline does.
func (h *Hub) talk(ctx context.Context, r sync.Remote, verb string, q request, pack func(context.Context, io.Writer) error, take takeReply) error {
	ctx, cancel := context.WithTimeout(ctx, h.opts.Deadline)
	defer cancel()
	requestIn, requestOut := io.Pipe()
	replyIn, replyOut := io.Pipe()
	stop := context.AfterFunc(ctx, func() {
		requestOut.CloseWithError(context.Cause(ctx))
		replyOut.CloseWithError(context.Cause(ctx))
	})
	defer stop()

	sent := make(chan error, 1)
	go func() {
		w := &faithful{w: requestOut}
		err := writeLine(w, q)
		if err == nil && pack != nil {
			err = pack(ctx, w)
		}
		if w.err != nil { // the remote stopped listening; it will say why
			sent <- nil
		} else {
			sent <- err
		}
		requestOut.CloseWithError(err)
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := r.Tree(ctx, []string{verb}, requestIn, replyOut)
		if err != nil {
			err = &complaint{err}
		}
		requestIn.Close()
		replyOut.CloseWithError(err)
	}()

	err := hear(ctx, replyIn, take)
	if err == nil {
		err = <-sent
	} else {
		err = why(ctx, err, sent)
	}
	cancel()
	replyIn.Close()
	select {
	case <-ended:
	case <-time.After(hangUp):
	}
	if err != nil {
		return fmt.Errorf("remote %s: %w", verb, err)
	}
	return nil
}

// why finds the first cause of a conversation that failed with err.
func why(ctx context.Context, err error, sent <-chan error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case sendErr := <-sent:
		if sendErr != nil {
			return fmt.Errorf("send: %w", sendErr)
		}
	default:
	}
	return err
}

// hear reads a reply and the end behind it.
func hear(ctx context.Context, in io.Reader, take takeReply) error {
	br := bufio.NewReaderSize(in, maxReply)
	var p reply
	if err := readLine(br, &p); err != nil {
		return fmt.Errorf("reply: %w", err)
	}
	if err := p.check(); err != nil {
		return fmt.Errorf("reply: %w", err)
	}
	if take != nil {
		if err := take(ctx, p, br); err != nil {
			return err
		}
	}
	_, err := br.ReadByte()
	if err == nil {
		return errors.New("reply: more follows than was announced")
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// check makes sure that everything in a reply has the form it should.
func (p reply) check() error {
	ids := append([]string{p.Commit, p.Base}, p.Has...)
	if len(p.Has) > 8 || len(p.Parked) > maxListed || len(p.Left) > maxListed || len(p.Sides) > maxListed || len(p.Stash) > maxListed {
		return errors.New("a list is too long")
	}
	for _, s := range p.Sides {
		if !git.IsObjectID(s.Tip) {
			return errors.New("an object name is malformed")
		}
	}
	for _, id := range slices.Concat(ids, p.Parked, p.Stash) {
		if id != "" && !git.IsObjectID(id) {
			return errors.New("an object name is malformed")
		}
	}
	for _, dir := range []string{p.Dir, p.Aside} {
		if dir != "" && (len(dir) > git.MaxPath || !path.IsAbs(dir) || path.Clean(dir) != dir || !printable(dir)) {
			return errors.New("a directory name is malformed")
		}
	}
	return nil
}

func printable(s string) bool {
	for _, c := range s {
		if !unicode.IsPrint(c) || c == unicode.ReplacementChar {
			return false
		}
	}
	return true
}

// complaint is the error of a remote command. It may quote what the remote said.
type complaint struct{ err error }

func (c *complaint) Error() string { return git.PlainText(c.err.Error()) }
func (c *complaint) Unwrap() error { return c.err }

// faithful remembers that writing failed.
type faithful struct {
	w   io.Writer
	err error
}

func (f *faithful) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err != nil {
		f.err = err
	}
	return n, err
}
