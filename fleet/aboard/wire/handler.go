package wire

import (
	"context"
	"encoding/json"
	"fmt"
)

// Handler answers one call of the other end. Its context ends when the caller gives
// up or the connection ends. What it returns is sent back, nil as an empty answer.
//
// The handler of a notification runs before anything further is read, so that
// notifications keep their order: it must be quick and must not call back.
type Handler func(ctx context.Context, params json.RawMessage) (any, error)

// Handlers are found by method.
type Handlers map[string]Handler

// Handle makes a handler of a function with a typed argument. Fields that the type
// does not know are ignored, so that builds that differ can still greet each other.
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

// dispatch acts on one message. It runs in the reader.
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
		delete(c.pending, m.ID) // a second reply has nowhere to go
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
		// The slot stays taken until the answer is out: an end that asks and does
		// not read must not pile up answers here.
		_ = c.send(c.ctx, answer)
		<-c.slots
	})
}

// answer runs the handler and makes its reply.
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

// call keeps a panic of the handler from ending the process: what the other end
// sends must not be able to do that.
func call(ctx context.Context, h Handler, params json.RawMessage) (result any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Error{Code: CodePanic, Text: fmt.Sprintf("internal error: %v", r)}
		}
	}()
	return h(ctx, params)
}
