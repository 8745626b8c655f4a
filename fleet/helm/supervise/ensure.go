// Package supervise starts helm when it is needed, keeps it running, and replaces a helm of an older build.
package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/retry"
)

// Ensure returns a client of a running helm. It starts a helm if none answers, and replaces a helm of an older build,
// without any effect on ships.
func Ensure(ctx context.Context, h fleet.Hub) (*api.Client, error) {
	if err := h.Make(); err != nil {
		return nil, err
	}
	c := api.NewClient(h)
	hello, err := c.Hello(ctx)
	if err == nil {
		own, err := OwnBinary(h)
		if err != nil {
			return nil, err
		}
		switch {
		case hello.API <= api.API && !outdated(hello, own):
			return c, nil
		case hello.API > api.API:
			return nil, fmt.Errorf("helm (%s) is newer than this ocaptain (%s): update it", hello.Version, Version)
		}
		if err := Stop(ctx, h); err != nil {
			return nil, fmt.Errorf("replacing helm %s: %w", hello.Version, err)
		}
	}
	if ctx.Err() != nil { // ctx ended before any helm was asked
		return nil, ctx.Err()
	}
	_ = os.Remove(stopped(h))
	said := logSize(h)
	ended, err := startHelm(h, "run", scopeCommand(ctx)...)
	if err != nil {
		return nil, fmt.Errorf("starting helm: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for over := false; ; {
		if _, err = c.Hello(ctx); err == nil {
			return c, nil
		}
		if over {
			return nil, fmt.Errorf("helm did not start: %s; its log is %s", lastWords(h, said), LogPath(h))
		}
		if retry.Sleep(ctx, 10*time.Millisecond) != nil {
			return nil, fmt.Errorf("helm did not start: %w; see %s", err, LogPath(h))
		}
		select {
		case <-ended:
			over = true // another helm may have started meanwhile
		default:
		}
	}
}

// Stop ends helm and its guard, and returns when both have ended. Ships go on working. If no helm is running, it
// returns nil.
func Stop(ctx context.Context, h fleet.Hub) error {
	if _, err := os.Stat(h.State); err != nil {
		return nil
	}
	if err := MarkStopped(h); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := api.NewClient(h).Stop(ctx); err != nil && !errors.Is(err, api.ErrDown) {
		return err
	}
	if err := waitFree(ctx, helmLock(h)); err != nil {
		return fmt.Errorf("helm did not end: %w", err)
	}
	return waitFree(ctx, guardLock(h))
}
