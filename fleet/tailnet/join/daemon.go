package join

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/private"
	"ocaptain/fleet/tailnet"
)

// patience is how long a tailscaled may take to tell its state.
const patience = 20 * time.Second

// daemon makes sure that the ship's tailscaled runs, with a tunnel or without if it has to be started, and returns its
// state once that is settled. A membership that it has kept comes up by itself.
func (b *berth) daemon(ctx context.Context, programs programs, kernel bool) (tailnet.Status, error) {
	d := tailnet.Daemon{Socket: b.socket}
	var ended <-chan struct{}
	if _, up, err := b.running(ctx); err != nil {
		return tailnet.Status{}, err
	} else if !up {
		if err := private.Make(filepath.Dir(d.Socket)); err != nil {
			return tailnet.Status{}, err
		}
		args := []string{"--tun=userspace-networking", "--statedir=" + b.path("state"), "--socket=" + d.Socket, "--port=0", "--no-logs-no-support"}
		p := program{name: "tailscaled", ready: true}
		if kernel {
			args[0] = "--tun=" + tunnel
			p.argv = append([]string{programs.daemon}, args...)
			p.root, p.after = true, []string{programs.daemon, "--cleanup", args[0]}
		} else {
			if err := b.reclaim(ctx); err != nil {
				return tailnet.Status{}, err
			}
			argv, err := deaf(append([]string{programs.daemon}, args...)...)
			if err != nil {
				return tailnet.Status{}, err
			}
			p.argv = argv
		}
		if ended, err = b.begin(ctx, p); err != nil {
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
			return s, fmt.Errorf("tailscaled: %w: %w%s", e, err, b.last("tailscaled"))
		}
	}
}

// running tells whether the ship's tailscaled runs. One that is just ending takes a moment to say no.
func (b *berth) running(ctx context.Context) (tailnet.Status, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		s, err := tailnet.Daemon{Socket: b.socket}.Status(ctx)
		if err == nil || errors.Is(err, tailnet.ErrDown) {
			return s, err == nil, nil
		}
		if b.moment(ctx, nil) != nil {
			return s, false, err
		}
	}
}

// reclaim takes back what a tailscaled that root ran has left.
func (b *berth) reclaim(ctx context.Context) error {
	if !ownedByOther(b.path("state")) {
		return nil
	}
	out, err := b.asRoot(ctx, "chown", "-R", strconv.Itoa(os.Getuid()), "--", b.path("state")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("take over what tailscaled keeps: %w: %s", err, b.scrub(string(out)))
	}
	return nil
}

// up joins the tailnet. The key is in a file for its owner alone, and only until this returns.
func (b *berth) up(ctx context.Context, programs programs) (tailnet.Status, error) {
	file := b.path("key")
	defer os.Remove(file)
	_ = os.Remove(file)
	if err := os.WriteFile(file, []byte(b.order.Key), 0o600); err != nil {
		return tailnet.Status{}, err
	}
	args := []string{
		"up", "--auth-key=file:" + file, "--hostname=" + b.order.Host, "--advertise-tags=" + b.order.Tag,
		"--accept-dns=false", "--accept-routes=false", "--reset", "--timeout=60s",
	}
	if runtime.GOOS == "linux" {
		// A tunnel forwards nothing, tailscaled itself keeps out what the policy does not let in, and what the door gets
		// never passes the kernel: no need to touch the machine's firewall.
		args = append(args, "--netfilter-mode=off")
	}
	if b.order.Login != "" {
		args = append(args, "--login-server="+b.order.Login)
	}
	ctx, cancel := context.WithTimeout(ctx, 70*time.Second)
	defer cancel()
	var out []byte
	var err error
	for range 2 { // after an attempt with a bad key, the next one is told of that first
		if out, err = b.tailscale(ctx, programs, args...).CombinedOutput(); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return tailnet.Status{}, fmt.Errorf("tailscale up: %w: %s", errors.Join(ctx.Err(), err), b.scrub(string(out)))
	}
	s, err := (tailnet.Daemon{Socket: b.socket}).Status(ctx)
	if err == nil && s.State != tailnet.Running {
		err = fmt.Errorf("after tailscale up it is still %q", s.State)
	}
	return s, err
}

// scrub keeps the key out of what is told, and that short.
func (b *berth) scrub(text string) string {
	if b.order.Key != "" {
		text = strings.ReplaceAll(text, b.order.Key, "(key)")
	}
	if text = strings.TrimSpace(text); len(text) > 500 {
		text = text[len(text)-500:]
	}
	return strings.ToValidUTF8(text, "?")
}
