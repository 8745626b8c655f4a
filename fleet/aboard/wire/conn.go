package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"ocaptain/fleet/silence"
	"ocaptain/fleet/wake"
)

// Options shape a connection. The zero value is fine.
type Options struct {
	// Handlers answer the other end's calls and notifications, by method.
	Handlers Handlers
	// InFlight is how many calls of the other end may run at once; further calls are refused with CodeBusy. 0 means 64.
	InFlight int
	// Idle is how long the other end may be silent before the connection pings it. After three times as long the
	// connection ends. 0 means that it may be silent for any time.
	Idle time.Duration

	now func() time.Time // nil for time.Now
}

// Conn is one end of a connection. It lives until Close, until the stream ends, or
// until the other end breaks the rules. Methods are safe for concurrent use.
type Conn struct {
	rwc      io.ReadWriteCloser
	handlers Handlers
	slots    chan struct{} // one token per call being handled
	out      chan []byte   // lines for the writer from callers that can wait
	wake     wake.Signal   // tells the writer to look at urgent

	ctx   context.Context // ends with the connection; handlers get a child of it
	end   context.CancelCauseFunc
	now   func() time.Time
	heard atomic.Int64   // how many messages the other end has sent
	work  sync.WaitGroup // reader, writer, pinger and handlers

	mu      sync.Mutex
	urgent  [][]byte                      // lines for the writer from callers that must not wait
	last    uint64                        // id of the newest call made by this end
	pending map[uint64]chan message       // calls made by this end, by id
	serving map[uint64]context.CancelFunc // calls made by the other end, by id
}

// New starts a connection over rwc, and takes ownership of rwc.
func New(rwc io.ReadWriteCloser, o Options) *Conn {
	if o.InFlight <= 0 {
		o.InFlight = 64
	}
	if o.now == nil {
		o.now = time.Now
	}
	ctx, end := context.WithCancelCause(context.Background())
	c := &Conn{
		rwc: rwc, handlers: o.Handlers, now: o.now, ctx: ctx, end: end,
		slots: make(chan struct{}, o.InFlight), out: make(chan []byte, 16), wake: wake.New(),
		pending: map[uint64]chan message{}, serving: map[uint64]context.CancelFunc{},
	}
	context.AfterFunc(ctx, func() { _ = rwc.Close() })
	c.work.Go(c.read)
	c.work.Go(c.write)
	if o.Idle > 0 {
		c.work.Go(func() { c.ping(o.Idle) })
	}
	return c
}

// Close ends the connection. Calls in both directions are cancelled.
func (c *Conn) Close() error {
	c.end(ErrClosed)
	return nil
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.ctx.Done() }

// Err says why the connection ended, nil while it lives. After a normal end it is ErrClosed itself.
func (c *Conn) Err() error {
	if c.ctx.Err() == nil {
		return nil
	}
	return closed(context.Cause(c.ctx))
}

// Wait returns when the connection has ended and none of its goroutines is left.
// It hangs when a handler ignores its context, or when Close does not end the stream's Read.
func (c *Conn) Wait() { c.work.Wait() }

// Call calls a method of the other end and puts its answer into result, unless result is nil. If the other end
// refuses, the error is an *Error. If the connection ends first, Gone reports true for the error. If ctx ends first,
// the error is that of ctx, and the other end is told.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	answer := make(chan message, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.pending[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
	}()

	if err := c.send(ctx, message{Kind: kindCall, ID: id, Method: method, Params: raw}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m := <-answer:
		return finish(method, m, result)
	case <-c.ctx.Done():
		select { // the answer may have arrived just before the end
		case m := <-answer:
			return finish(method, m, result)
		default:
			return fmt.Errorf("%s: %w", method, c.Err())
		}
	case <-ctx.Done():
		c.post(message{Kind: kindCancel, ID: id})
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// finish turns a reply into what Call returns.
func finish(method string, m message, result any) error {
	if m.Error != nil {
		return m.Error
	}
	if result == nil {
		return nil
	}
	if m.Result == nil {
		return fmt.Errorf("%s: the answer is empty", method)
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return fmt.Errorf("%s: the answer is not valid: %w", method, err)
	}
	return nil
}

// Notify sends the other end a notification. It does not wait until that is received.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if err := c.send(ctx, message{Kind: kindNote, Method: method, Params: raw}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// send hands a message to the writer.
func (c *Conn) send(ctx context.Context, m message) error {
	line, err := encode(m)
	if err != nil {
		return err
	}
	if c.ctx.Err() != nil {
		return c.Err()
	}
	select {
	case c.out <- line:
		return nil
	case <-c.ctx.Done():
		return c.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// maxUrgent is how many lines may wait for another end that does not read.
const maxUrgent = 1024

// post queues a message without waiting for the other end to read. It is for the reader, and for callers that have
// given up.
func (c *Conn) post(m message) {
	line, err := encode(m)
	if err != nil {
		c.end(err)
		return
	}
	c.mu.Lock()
	full := len(c.urgent) >= maxUrgent
	if !full {
		c.urgent = append(c.urgent, line)
	}
	c.mu.Unlock()
	if full {
		c.end(errors.New("the other end does not read"))
		return
	}
	c.wake.Send()
}

func (c *Conn) write() {
	for {
		var lines [][]byte
		select {
		case line := <-c.out:
			lines = append(lines, line)
		case <-c.wake:
			c.mu.Lock()
			lines, c.urgent = c.urgent, nil
			c.mu.Unlock()
		case <-c.ctx.Done():
			return
		}
		for _, line := range lines {
			if _, err := c.rwc.Write(line); err != nil {
				c.end(err)
				return
			}
		}
	}
}

func (c *Conn) read() {
	r := bufio.NewReaderSize(c.rwc, 32<<10)
	var buf []byte
	for {
		line, err := readLine(r, buf)
		if err == nil {
			buf = line
			var m message
			if m, err = decode(line); err == nil {
				c.heard.Add(1)
				c.dispatch(m)
				continue
			}
		}
		if errors.Is(err, io.EOF) {
			err = ErrClosed
		}
		c.end(err)
		return
	}
}

// ping pings the other end when it is silent for too long. Time during which this machine slept does not count.
func (c *Conn) ping(idle time.Duration) {
	count := silence.Start(c.now(), c.heard.Load())
	t := time.NewTimer(idle)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-c.ctx.Done():
			return
		}
		silent, said := count.SilentFor(c.now(), idle, c.heard.Load())
		if silent >= 3*idle {
			c.end(fmt.Errorf("no sign of life for %s", silent.Round(time.Millisecond)))
			return
		}
		if !said {
			c.post(message{Kind: kindPing})
		}
		t.Reset(idle)
	}
}
