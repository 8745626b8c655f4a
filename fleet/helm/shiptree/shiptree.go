// Package shiptree is the remote end of operations on a ship's tree.
package shiptree

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	gosync "sync"
	"time"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
	"ocaptain/sync/gitflow/wire"
)

// lineRest is how long an idle "aboard tree" process stays on the ship, where it takes memory.
const lineRest = time.Minute

// Remote is the sync.Remote of a ship. It keeps an "aboard tree" process running on the ship for the next request.
// Its methods are safe for concurrent use.
type Remote struct {
	life context.Context
	link *link.Link
	home string

	mu   gosync.Mutex
	free *line // an idle process, or nil
}

// New returns the Remote of a ship whose user has the home directory home. It works until ctx ends or Close.
func New(ctx context.Context, l *link.Link, home string) *Remote {
	return &Remote{life: ctx, link: l, home: home}
}

// line is a running "aboard tree" process.
type line struct {
	*link.Stream
	end  context.CancelFunc
	rest *time.Timer
}

// Tree makes one request.
func (r *Remote) Tree(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	l := r.take()
	if l == nil {
		var err error
		if l, err = r.open(ctx); err != nil {
			return err
		}
	}
	err := wire.Talk(ctx, l, args, stdin, stdout)
	if err == nil {
		r.give(l)
		return nil
	}
	defer l.end()
	var failed *wire.Failed
	switch {
	case errors.As(err, &failed):
		return &link.ExitError{Code: 1, Stderr: failed.Text}
	case ctx.Err() != nil:
		return err
	}
	select {
	case <-l.Done(): // the line's end is the cause
		return cmp.Or(l.Wait(), err)
	case <-time.After(time.Second):
		return err
	}
}

// open starts "aboard tree" on the ship.
func (r *Remote) open(ctx context.Context) (*line, error) {
	life, end := context.WithCancel(r.life)
	stop := context.AfterFunc(ctx, end)
	stream, err := r.link.BulkLane().Stream(life, link.Command{Argv: []string{path.Join(r.home, provision.Binary), "aboard", "tree"}})
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		end()
		return nil, err
	}
	return &line{Stream: stream, end: end}, nil
}

// take returns the idle process, nil if there is none.
func (r *Remote) take() *line {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.free
	if r.free = nil; l == nil {
		return nil
	}
	select {
	case <-l.Done():
		l.end()
		return nil
	default:
	}
	if !l.rest.Stop() {
		return nil // it is about to end
	}
	return l
}

// give keeps a process for the next request. At most one process is kept.
func (r *Remote) give(l *line) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.free != nil || r.life.Err() != nil {
		l.end()
		return
	}
	l.rest = time.AfterFunc(lineRest, l.end)
	r.free = l
}

// Close ends the idle process.
func (r *Remote) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.free != nil {
		r.free.rest.Stop()
		r.free.end()
		r.free = nil
	}
}
