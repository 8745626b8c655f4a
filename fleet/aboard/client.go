package aboard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
)

// lonely is how long an agent may ask nobody before it counts as one that waits.
const lonely = 5 * time.Second

// ask makes one call to serve. While serve is away, or serve's connection to helm
// is, it keeps trying until ctx ends: every call is safe to repeat. A *wire.Error
// is a definite answer. An agent that asks has stopped its work for that, so its window says after a while that
// it waits, and its machine may be paused: whoever comes to answer wakes it.
func ask(ctx context.Context, h home, method string, params, result any) error {
	const slowest = time.Second
	began, waits := time.Now(), false
	defer func() {
		if waits && windowNamed(h, proto.StateIdle) {
			nameWindow(context.WithoutCancel(ctx), h, proto.StateWorking)
		}
	}()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, slowest) {
		err := askOnce(ctx, h, method, params, result)
		if !away(err) {
			return err
		}
		if time.Since(began) > lonely && windowNamed(h, proto.StateWorking) {
			waits = true
			nameWindow(ctx, h, proto.StateIdle)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("helm does not answer: %w", err)
		case <-time.After(pause):
		}
	}
}

// askOnce makes one call over a connection of its own.
func askOnce(ctx context.Context, h home, method string, params, result any) error {
	socket, err := h.socket()
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

// noServe is the error of a socket where nobody listens.
type noServe struct{ err error }

func (e *noServe) Error() string { return "the ship is not connected: " + e.err.Error() }
func (e *noServe) Unwrap() error { return e.err }

// away reports whether err may pass: nobody was there to answer, or was too busy to.
func away(err error) bool {
	var refused *wire.Error
	if errors.As(err, &refused) {
		return refused.Code == proto.CodeAway || refused.Code == wire.CodeBusy
	}
	var none *noServe
	return errors.As(err, &none) || wire.Gone(err)
}
