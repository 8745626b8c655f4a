package dirstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ocaptain/tasks/ledger"
	"ocaptain/tasks/redislog"
)

// committer carries out what callers change in a shared store. While it sends a request, further callers wait; the next request then carries
// out the changes of as many of them as are independent of each other.
type committer struct {
	store *Store
	wake  chan struct{} // has a value when the goroutine is to look at waiting

	// Guarded by the store's mu.
	waiting []*operation // oldest first
	closed  bool
}

// operation is a change that a caller waits for.
type operation struct {
	do   judge
	then func()
	done chan struct{} // closed when err is the answer
	err  error

	// Guarded by the store's mu.
	change *ledger.Change // what do returned, nil if it is refused or changes nothing
	data   []byte         // the entry of change
	over   bool           // carried out or refused: the caller gets its answer
	gone   bool           // the caller waits no more: neither do nor then may run
	leave  func()         // to be called when the caller goes; nil if no request was made for the operation
}

// change carries out the change that do returns, and calls then after it. do judges the newest state that the hubs have. It fails at once if
// the last request got no answer from Redis; follow finds out when Redis answers again. If the caller leaves while a request carries the change
// out, it may be made or not.
func (c *committer) change(ctx context.Context, do judge, then func()) error {
	if err := c.unreachable(); err != nil {
		return err
	}
	o := &operation{do: do, then: then, done: make(chan struct{})}
	if !c.add(o) {
		return errClosed
	}
	select {
	case <-o.done:
		return o.err
	case <-ctx.Done():
		return c.abandon(o, ctx.Err())
	}
}

// unreachable returns why the last request got no answer from Redis, nil if it got one.
func (c *committer) unreachable() error {
	if _, why := c.store.Apart(); errors.Is(why, redislog.ErrUnreachable) {
		return why
	}
	return nil
}

// add makes an operation wait. It reports false when the store is closed.
func (c *committer) add(o *operation) bool {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	if c.closed {
		return false
	}
	c.waiting = append(c.waiting, o)
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return true
}

// abandon returns the error of an operation whose caller goes, because of why. If the operation is over, that is its answer.
func (c *committer) abandon(o *operation, why error) error {
	c.store.mu.Lock()
	over, leave := o.over, o.leave
	o.gone = true
	if !over && leave != nil {
		leave()
	}
	c.store.mu.Unlock()
	switch {
	case over:
		<-o.done
		return o.err
	case leave != nil && errors.Is(why, context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", redislog.ErrUnreachable, why)
	}
	return why
}

// run carries out operations until the store closes.
func (c *committer) run() {
	h := c.store.shared
	for h.ctx.Err() == nil {
		select {
		case <-c.wake:
		case <-h.ctx.Done():
		}
		for h.ctx.Err() == nil && c.commit() {
		}
	}
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	c.closed = true
	for _, o := range c.waiting {
		o.end(errClosed)
	}
	c.answer()
}

// commit makes one request for the first of the waiting operations. It reports whether others wait.
func (c *committer) commit() bool {
	s := c.store
	end, err := s.shared.take(s.shared.ctx)
	if err != nil {
		return false
	}
	defer end()
	b := c.judge()
	defer b.cancel()
	if err = c.unreachable(); err == nil && !b.isEmpty() {
		_, err = s.advance(b.ctx, b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b.fail(err)
	return c.answer()
}

// answer takes out the operations that are over or abandoned, and answers the callers of the first: refusals at once, the others when the
// changes are on the disk and published. It reports whether others wait. The caller holds the store's mu.
func (c *committer) answer() bool {
	s := c.store
	var done, waiting []*operation
	for _, o := range c.waiting {
		switch {
		case o.over && o.err != nil:
			close(o.done)
		case o.over:
			done = append(done, o)
		case !o.gone:
			waiting = append(waiting, o)
		}
	}
	c.waiting = waiting
	if len(done) == 0 && len(waiting) > 0 {
		return true // what other hubs have changed is published together with what follows
	}
	changed := s.ledger.TakeChanged()
	s.shared.done.Go(func() {
		err := s.publishDurable(changed)
		for _, o := range done {
			o.err = cmp.Or(o.err, err)
			close(o.done)
		}
	})
	return len(waiting) > 0
}
