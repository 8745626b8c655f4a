package voyage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	gosync "sync"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
	"ocaptain/sync/gitflow/wire"
)

// lineRest is how long the ship's end of a tree waits for another conversation. It takes memory there.
const lineRest = time.Minute

// bareTree is the sync.Remote of a ship: it talks with the remote end of a tree operation there, which goes on from one conversation to
// the next.
type bareTree struct {
	life context.Context
	link *link.Link
	name string
	home string

	mu   gosync.Mutex
	free *line // nil for none
}

// line is a remote end that runs.
type line struct {
	*link.Stream
	end  context.CancelFunc
	rest *time.Timer
}

// Tree has one conversation.
func (b *bareTree) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	l := b.take()
	if l == nil {
		var err error
		if l, err = b.open(ctx); err != nil {
			return err
		}
	}
	err := wire.Talk(ctx, l, args, stdin, stdout)
	if err == nil {
		b.give(l)
		return nil
	}
	defer l.end()
	var failed *wire.Failed
	switch {
	case errors.As(err, &failed):
		return &link.ExitError{Name: b.name, Command: "ocaptain", Code: 1, Stderr: failed.Text}
	case ctx.Err() != nil:
		return fmt.Errorf("%s: ocaptain: %w", b.name, err)
	}
	select {
	case <-l.Done(): // that is why
		return cmp.Or(l.Wait(), err)
	case <-time.After(time.Second):
		return fmt.Errorf("%s: ocaptain: %w", b.name, err)
	}
}

// open starts the remote end.
func (b *bareTree) open(ctx context.Context) (*line, error) {
	life, end := context.WithCancel(b.life)
	stop := context.AfterFunc(ctx, end)
	stream, err := b.link.BulkLane().Stream(life, link.Command{Argv: []string{path.Join(b.home, provision.Binary), "aboard", "tree"}})
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		end()
		return nil, err
	}
	return &line{Stream: stream, end: end}, nil
}

// take returns a remote end that is free and runs, nil for none.
func (b *bareTree) take() *line {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.free
	if b.free = nil; l == nil {
		return nil
	}
	select {
	case <-l.Done():
		l.end()
		return nil
	default:
	}
	if !l.rest.Stop() {
		return nil // it ends just now
	}
	return l
}

// give has a remote end wait for another conversation. One may wait at a time.
func (b *bareTree) give(l *line) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.free != nil || b.life.Err() != nil {
		l.end()
		return
	}
	l.rest = time.AfterFunc(lineRest, l.end)
	b.free = l
}

// close ends the remote end that waits.
func (b *bareTree) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.free != nil {
		b.free.rest.Stop()
		b.free.end()
		b.free = nil
	}
}
