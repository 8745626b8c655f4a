package dirstore

import (
	"context"
	"slices"

	"ocaptain/tasks/redislog"
)

// maxBatch is the most bytes of several changes in one request.
const maxBatch = 1 << 20

// batch is the operations that one request carries out.
type batch struct {
	ctx     context.Context // ends when no caller waits any more
	cancel  context.CancelFunc
	idle    []*operation // refused, or without a change
	changes []*operation // in the order of their entries
}

// judge judges the first of the waiting operations, as many as one request can carry out.
func (c *committer) judge() *batch {
	b := &batch{}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	c.fill(b)
	slices.SortStableFunc(b.changes, func(x, y *operation) int { return x.change.Compare(y.change) })
	callers := len(b.idle) + len(b.changes)
	for _, o := range slices.Concat(b.idle, b.changes) {
		o.leave = func() {
			if callers--; callers == 0 {
				b.cancel()
			}
		}
	}
	return b
}

// fill puts waiting operations into a batch, until one depends on those before it.
func (c *committer) fill(b *batch) {
	together := c.store.ledger.Independent()
	defer together.Close()
	now, size := timeNow(), 0
	for _, o := range c.waiting {
		if o.gone {
			continue
		}
		o.change, o.err = o.do(now)
		switch {
		case o.err != nil || o.change == nil:
			if together.Completes() {
				return
			}
			b.idle = append(b.idle, o)
			continue
		case len(b.changes) == redislog.MaxEntries || !together.Add(o.change):
			return
		}
		if o.data, o.err = encode(now, o.change); o.err != nil {
			b.idle = append(b.idle, o)
			continue
		}
		if size += len(o.data); size > maxBatch && len(b.changes) > 0 {
			return
		}
		b.changes = append(b.changes, o)
	}
}

func (b *batch) isEmpty() bool { return len(b.idle)+len(b.changes) == 0 }

// data returns the entries of the changes. A nil batch has none.
func (b *batch) data() (all [][]byte) {
	if b == nil {
		return nil
	}
	for _, o := range b.changes {
		all = append(all, o.data)
	}
	return all
}

// begins reports whether a log may begin with the batch.
func (b *batch) begins() bool { return b != nil && len(b.changes) > 0 && b.changes[0].change.Begins() }

// confirm ends the operations without an entry: they were judged by the newest state. The caller holds the store's mu.
func (b *batch) confirm() {
	if b == nil {
		return
	}
	for _, o := range b.idle {
		o.end(o.err)
	}
}

// fail ends the operations that are not over with an error, unless it is nil. The caller holds the store's mu.
func (b *batch) fail(err error) {
	for _, o := range slices.Concat(b.idle, b.changes) {
		if err != nil && !o.over {
			o.end(err)
		}
	}
}

// end makes an operation over, with its error. The caller holds the store's mu.
func (o *operation) end(err error) {
	if o.over, o.err = true, err; err == nil && !o.gone {
		o.then()
	}
}
