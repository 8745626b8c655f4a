package join

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/fleet/private"
	"ocaptain/fleet/tailnet"
)

// patience is how long a tailscaled may take to report its state.
const patience = 20 * time.Second

// daemon makes sure that the ship's tailscaled is running, and returns its state once that is settled. If tailscaled
// has stored a membership, it rejoins by itself.
func (b *berth) daemon(ctx context.Context, programs programs) (tailnet.Status, error) {
	d := tailnet.Daemon{Socket: b.socket}
	var ended <-chan struct{}
	if up, err := b.running(ctx); err != nil {
		return tailnet.Status{}, err
	} else if !up {
		if err := private.Make(filepath.Dir(d.Socket)); err != nil {
			return tailnet.Status{}, err
		}
		ended, err = b.startProgram("tailscaled", programs.daemon, "--tun=userspace-networking", "--statedir="+b.pathOf("state"), "--socket="+d.Socket, "--port=0", "--no-logs-no-support")
		if err != nil {
			return tailnet.Status{}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		s, err := d.Status(ctx)
		if err == nil && s.State != "NoState" && s.State != "Starting" {
			return s, nil
		}
		if err == nil {
			err = errors.New("it does not get beyond " + s.State)
		}
		if e := b.moment(ctx, ended); e != nil {
			return s, fmt.Errorf("tailscaled: %w: %w%s", e, err, b.lastOutput("tailscaled"))
		}
	}
}

// running reports whether the ship's tailscaled is running. It takes a moment if a tailscaled is just ending.
func (b *berth) running(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		_, err := tailnet.Daemon{Socket: b.socket}.Status(ctx)
		if err == nil || errors.Is(err, tailnet.ErrDown) {
			return err == nil, nil
		}
		if b.moment(ctx, nil) != nil {
			return false, err
		}
	}
}

// joinNetwork joins the tailnet. Meanwhile the key is in a file that only its owner can read.
func (b *berth) joinNetwork(ctx context.Context, programs programs) (tailnet.Status, error) {
	file := b.pathOf("key")
	defer os.Remove(file)
	_ = os.Remove(file)
	if err := os.WriteFile(file, []byte(b.order.Key), 0o600); err != nil {
		return tailnet.Status{}, err
	}
	args := []string{
		"--socket=" + b.socket, "up", "--auth-key=file:" + file, "--hostname=" + b.order.Host, "--advertise-tags=" + b.order.Tag,
		"--accept-dns=false", "--accept-routes=false", "--reset", "--timeout=60s",
	}
	if b.order.Login != "" {
		args = append(args, "--login-server="+b.order.Login)
	}
	ctx, cancel := context.WithTimeout(ctx, 70*time.Second)
	defer cancel()
	var out []byte
	var err error
	for range 2 { // after an attempt with a bad key, the next attempt first reports the old error
		cmd := exec.CommandContext(ctx, programs.command, args...)
		cmd.WaitDelay = time.Second
		if out, err = cmd.CombinedOutput(); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return tailnet.Status{}, fmt.Errorf("tailscale up: %w: %s", errors.Join(ctx.Err(), err), b.withoutKey(string(out)))
	}
	s, err := (tailnet.Daemon{Socket: b.socket}).Status(ctx)
	if err == nil && s.State != tailnet.Running {
		err = fmt.Errorf("after tailscale up it is still %q", s.State)
	}
	return s, err
}

// withoutKey shortens a text and removes the key from it.
func (b *berth) withoutKey(text string) string {
	if b.order.Key != "" {
		text = strings.ReplaceAll(text, b.order.Key, "(key)")
	}
	if text = strings.TrimSpace(text); len(text) > 500 {
		text = text[len(text)-500:]
	}
	return strings.ToValidUTF8(text, "?")
}
