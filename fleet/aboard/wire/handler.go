package wire

import (
	"context"
	"encoding/json"
	"fmt"
)

// Handler answers one call of the other end. Its context ends when the caller gives up or the connection ends. Its
// result is sent back; nil is sent as an empty answer.
//
// The handler of a notification runs before the next message is read, so that notifications keep their order. It must
// return quickly and must not call the other end.
type Handler func(ctx context.Context, params json.RawMessage) (any, error)

// Handlers are the handlers of one end, by method.
type Handlers map[string]Handler

// Handle makes a Handler from a function with a typed argument. It ignores fields that the type lacks, so that
// different versions can talk to each other.
func Handle[P, R any](fn func(context.Context, P) (R, error)) Handler {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var p P
		if raw != nil {
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, fmt.Errorf("the arguments are not valid: %w", err)
			}
		}
		return fn(ctx, p)
	}
}

// dispatch handles one message. It runs in the goroutine that reads.
func (c *Conn) dispatch(m message) {
	switch m.Kind {
	case kindCall:
		c.serve(m)
	case kindNote:
		if h := c.handlers[m.Method]; h != nil {
			_, _ = call(c.ctx, h, m.Params)
		}
	case kindReply:
		c.mu.Lock()
		answer := c.pending[m.ID]
		delete(c.pending, m.ID) // a second reply would be ignored
		c.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	case kindCancel:
		c.mu.Lock()
		cancel := c.serving[m.ID]
		c.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	case kindPing:
		c.post(message{Kind: kindPong})
	}
}

// serve starts the handler of a call.
func (c *Conn) serve(m message) {
	refuse := func(code, text string) {
		c.post(message{Kind: kindReply, ID: m.ID, Error: &Error{Code: code, Text: text}})
	}
	h := c.handlers[m.Method]
	if h == nil {
		refuse(CodeUnknown, fmt.Sprintf("there is no method %.40q", m.Method))
		return
	}
	select {
	case c.slots <- struct{}{}:
	default:
		refuse(CodeBusy, "too many calls at once")
		return
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.mu.Lock()
	_, twice := c.serving[m.ID]
	if !twice {
		c.serving[m.ID] = cancel
	}
	c.mu.Unlock()
	if twice {
		cancel()
		<-c.slots
		c.end(fmt.Errorf("call %d was made twice", m.ID))
		return
	}
	c.work.Go(func() {
		answer := c.answer(ctx, h, m)
		cancel()
		c.mu.Lock()
		delete(c.serving, m.ID)
		c.mu.Unlock()
		// The slot is free only once the answer is sent, so that an end that calls and never reads cannot pile up answers
		// here.
		_ = c.send(c.ctx, answer)
		<-c.slots
	})
}

// answer runs the handler and returns its reply.
func (c *Conn) answer(ctx context.Context, h Handler, m message) message {
	reply := message{Kind: kindReply, ID: m.ID}
	result, err := call(ctx, h, m.Params)
	if err == nil && result != nil {
		reply.Result, err = json.Marshal(result)
	}
	if err == nil {
		if _, err = encode(reply); err != nil {
			err = fmt.Errorf("the answer to %s is too large: %w", m.Method, err)
		}
	}
	if err != nil {
		reply.Result, reply.Error = nil, asError(err)
	}
	return reply
}

// call turns a panic of the handler into an error, so that nothing that the other end sends can end the process.
func call(ctx context.Context, h Handler, params json.RawMessage) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Error{Code: CodePanic, Text: fmt.Sprintf("internal error: %v", r)}
		}
	}()
	return h(ctx, params)
}
