package shipdir

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// Lonely is how long an agent may ask without an answer before it counts as waiting.
const Lonely = 5 * time.Second

// Ask makes one call to serve. While serve is away, or serve's connection to helm is, Ask keeps trying until ctx
// ends: every call is safe to repeat. A *wire.Error is a definite answer. While an agent asks, it does no work. So
// after the time Lonely its window says that it waits, and its machine may be paused; helm wakes the machine when it
// connects.
func Ask(ctx context.Context, h Dir, method string, params, result any) error {
	began, waits := time.Now(), false
	defer func() {
		if waits && WindowNamed(h, proto.StateIdle) {
			NameWindow(context.WithoutCancel(ctx), h, proto.StateWorking)
		}
	}()
	for pauses := retry.Doubling(20*time.Millisecond, time.Second); ; {
		err := AskOnce(ctx, h, method, params, result)
		if !Away(err) {
			return err
		}
		if time.Since(began) > Lonely && WindowNamed(h, proto.StateWorking) {
			waits = true
			NameWindow(ctx, h, proto.StateIdle)
		}
		if retry.Sleep(ctx, pauses.NextBackOff()) != nil {
			return fmt.Errorf("helm does not answer: %w", err)
		}
	}
}

// Serves reports whether serve is running and connected to helm.
func Serves(ctx context.Context, h Dir) bool {
	socket, err := h.Socket()
	if err != nil {
		return false
	}
	stream, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return false
	}
	_ = stream.Close()
	return true
}

// AskOnce makes one call over a new connection, without a retry.
func AskOnce(ctx context.Context, h Dir, method string, params, result any) error {
	socket, err := h.Socket()
	if err != nil {
		return err
	}
	var d net.Dialer
	stream, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return &noServe{err}
	}
	conn := wire.New(stream, wire.Options{})
	defer conn.Wait()
	defer func() { _ = conn.Close() }()
	return conn.Call(ctx, method, params, result)
}

// noServe is the error of a socket on which nothing listens.
type noServe struct{ err error }

func (e *noServe) Error() string { return "the ship is not connected: " + e.err.Error() }
func (e *noServe) Unwrap() error { return e.err }

// Away reports whether the error may pass: serve was not running, or too busy to answer.
func Away(err error) bool {
	var refused *wire.Error
	if errors.As(err, &refused) {
		return refused.Code == proto.CodeAway || refused.Code == wire.CodeBusy
	}
	var none *noServe
	return errors.As(err, &none) || wire.Gone(err)
}

// idleAfter is how long an agent waits before it counts as idle.
const idleAfter = 200 * time.Millisecond

// WaitForWork asks helm what to do next and waits for the answer. It calls idle if there is no answer at once, and
// goes on waiting.
func WaitForWork(ctx context.Context, h Dir, r proto.WaitRequest, idle func()) (proto.Verdict, error) {
	var v proto.Verdict
	answer := make(chan error, 1)
	go func() { answer <- Ask(ctx, h, proto.MethodWait, r, &v) }()
	select {
	case err := <-answer:
		return v, err
	case <-time.After(idleAfter):
	}
	idle()
	err := <-answer
	return v, err
}
