package link

import (
	"context"
	"errors"
	"time"

	"ocaptain/fleet/retry"
	"ocaptain/fleet/turn"
)

// supervise keeps the main connection open until the link is closed. After a server has shown another host key, it
// tries again only at long intervals: the right server may answer again, once the name or address leads to it.
func (l *Link) supervise() {
	pauses := retry.Doubling(l.cfg.RetryMin, l.cfg.RetryMax)
	for {
		tried := time.Now()
		c, err := l.connect(l.ctx)
		if err == nil {
			began := time.Now()
			l.set(Status{State: Connected}, c)
			select {
			case <-c.dead:
				err = c.err
			case <-l.ctx.Done():
				c.endWith(ErrClosed)
			}
			// After a connection that held for a while, begin with short pauses again.
			if time.Since(began) > l.cfg.RetryMax {
				pauses.Reset()
			}
		}
		if l.ctx.Err() != nil {
			return
		}
		var changed *HostKeyError
		if errors.As(err, &changed) {
			l.set(Status{State: Refused, Err: err, Tried: tried, Retry: time.Now().Add(l.cfg.RetryMax)}, nil)
			l.pauseFor(l.cfg.RetryMax)
			continue
		}
		pause := pauses.NextBackOff()
		l.set(Status{State: Down, Err: err, Tried: tried, Retry: time.Now().Add(pause)}, nil)
		if l.pauseFor(pause) {
			pauses.Reset()
		}
	}
}

// pauseFor waits for d, and reports whether RetryNow ended the wait early.
func (l *Link) pauseFor(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.wake:
		return true
	case <-l.ctx.Done():
	}
	return false
}

// bulk is the second connection of a link, which exists only when needed.
type bulk struct {
	Lane
	link *Link
	turn turn.Turn // held while dialling
	conn *conn     // guarded by turn
}

func (b *bulk) init(l *Link) {
	b.link = l
	b.turn = turn.New()
	b.Lane = l.lane(b.current)
}

func (b *bulk) current(ctx context.Context) (*conn, error) {
	// The main connection notices first when a ship is out of reach.
	if _, err := b.link.current(ctx); err != nil {
		return nil, err
	}
	if err := b.turn.Lock(ctx); err != nil {
		return nil, err
	}
	defer b.turn.Unlock()
	if b.conn != nil && !b.conn.broken() {
		b.conn.asked.Add(1)
		return b.conn, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.link.ctx, cancel)()
	c, err := b.link.connect(ctx)
	if err != nil {
		return nil, err
	}
	b.conn = c
	go b.retire(c)
	return c, nil
}

// retire closes a connection after it has been idle for a while, or when the link ends.
func (b *bulk) retire(c *conn) {
	idle := time.NewTicker(b.link.cfg.BulkIdle)
	defer idle.Stop()
	var before int64
	for {
		select {
		case <-c.dead:
			return
		case <-b.link.ctx.Done():
			c.endWith(ErrClosed)
			return
		case <-idle.C:
		}
		b.turn <- struct{}{}
		asked := c.asked.Load()
		quiet := len(c.slots) == 0 && asked == before
		before = asked
		if quiet {
			b.conn = nil
			c.endWith(errors.New("closed after a time without use"))
		}
		<-b.turn
		if quiet {
			return
		}
	}
}
