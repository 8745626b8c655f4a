package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// hangUp is how long Ask waits for a remote's command to end after the exchange failed.
const hangUp = time.Second

// Take handles a reply and the pack that may follow it.
type Take func(ctx context.Context, p Reply, in *bufio.Reader) error

// Ask sends a request to a remote, then what pack writes (pack may be nil), and passes the reply to take, which may
// be nil. Ask returns when ctx ends, whatever the remote does.
func Ask(ctx context.Context, r sync.Remote, verb string, q Request, pack func(context.Context, io.Writer) error, take Take) error {
	ctx, cancel := context.WithCancel(ctx)
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
		err := WriteLine(w, q)
		if err == nil && pack != nil {
			err = pack(ctx, w)
		}
		if w.err != nil { // the remote stopped reading; its reply will say why
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
	return err
}

// why returns the first cause of an exchange that failed with err.
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

// hear reads a reply, has take handle it, and checks that nothing follows.
func hear(ctx context.Context, in io.Reader, take Take) error {
	br := bufio.NewReaderSize(in, 64<<10)
	var p Reply
	err := ReadLine(br, MaxReply, &p)
	if failed, ok := errors.AsType[*complaint](err); ok {
		return failed
	}
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return fmt.Errorf("its reply cannot be used: %w", err)
	}
	if take != nil {
		if err := take(ctx, p, br); err != nil {
			return err
		}
	}
	_, err = br.ReadByte()
	if err == nil {
		return errors.New("its reply is longer than announced")
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// complaint is the error of a remote command. Its text may quote the remote, so Error makes it plain.
type complaint struct{ err error }

func (c *complaint) Error() string { return git.PlainText(c.err.Error()) }
func (c *complaint) Unwrap() error { return c.err }

// faithful is a writer that remembers its error.
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
