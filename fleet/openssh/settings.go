package openssh

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/retry"
)

// way says how ssh reaches a place.
type way struct {
	user, host, port string
	jump             string // ProxyJump, "" for none
	command          string // ProxyCommand, "" for none
	asked            time.Time
}

// address is host:port.
func (w way) address() string { return net.JoinHostPort(w.host, w.port) }

// direct reports whether the way leads through no other host or program.
func (w way) direct() bool { return w.jump == "" && w.command == "" }

// configured asks ssh for the configuration of a place. It does not connect.
func (c *Captain) configured(ctx context.Context, p Place) (way, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.patience(), retry.Late(c.patience()))
	defer cancel()
	cmd := exec.CommandContext(ctx, "ssh", slices.Concat(c.configFile(), []string{"-G"}, p.placeArgs())...)
	cmd.WaitDelay = time.Second
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return way{}, errNoSSH
	case ctx.Err() != nil:
		return way{}, fmt.Errorf("host %s: read ~/.ssh/config, with the programs that its Match exec runs: %w", p, context.Cause(ctx))
	case err != nil:
		return way{}, fmt.Errorf("host %s: read ~/.ssh/config: %s", p, ShortLine(failed.String()))
	}
	said := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && value != "none" {
			said[strings.ToLower(name)] = value
		}
	}
	return way{said["user"], said["hostname"], said["port"], said["proxyjump"], said["proxycommand"], time.Now()}, nil
}

// wayAge is how long the configured way to a place is cached, since asking ssh starts programs.
const wayAge = time.Minute

// cachedWay is configured with a cache.
func (c *Captain) cachedWay(ctx context.Context, p Place) (way, error) {
	if known, ok := c.ways.Load(p); ok && time.Since(known.(way).asked) < wayAge {
		return known.(way), nil
	}
	w, err := c.configured(ctx, p)
	if err != nil {
		c.ways.Delete(p)
		return w, err
	}
	c.ways.Store(p, w)
	return w, nil
}

// LoginOf returns the user and the host:port with which ssh logs in to a place.
func (c *Captain) LoginOf(ctx context.Context, p Place) (user, addr string, err error) {
	w, err := c.cachedWay(ctx, p)
	return w.user, w.address(), err
}

// handshakes is how many logins to one host may be under way at once. OpenSSH begins to refuse at the tenth.
const handshakes = 5

// awaitTurn waits for a slot for a login at the first host on the way. leave frees the slot.
func (c *Captain) awaitTurn(ctx context.Context, p Place) (leave func(), err error) {
	w, err := c.cachedWay(ctx, p)
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(w.jump, ",")
	v, _ := c.doors.LoadOrStore(cmp.Or(first, w.address()), make(chan struct{}, handshakes))
	door := v.(chan struct{})
	select {
	case door <- struct{}{}:
		return func() { <-door }, nil
	case <-ctx.Done():
		return nil, DownError(ctx, p, context.Cause(ctx))
	}
}
