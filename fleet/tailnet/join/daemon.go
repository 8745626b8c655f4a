package join

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/private"
	"ocaptain/fleet/tailnet"
)

// socket is where the ship's tailscaled listens. A home with a long path has it in a private
// directory under /tmp.
func (b *berth) socket() string {
	if p := b.path("sock"); len(p) <= 99 {
		return p
	}
	sum := sha256.Sum256([]byte(b.home))
	return filepath.Join(private.Base(), "ts-"+hex.EncodeToString(sum[:8]))
}

// patience is how long a tailscaled may take to tell its state.
const patience = 20 * time.Second

// daemon makes sure that the ship's tailscaled runs, and returns its state once that is settled. A membership that
// it has kept comes up by itself.
func (b *berth) daemon(ctx context.Context, programs programs) (tailnet.Status, error) {
	d := tailnet.Daemon{Socket: b.socket()}
	var ended <-chan struct{}
	if _, err := d.Status(ctx); errors.Is(err, tailnet.ErrDown) {
		if err := private.Make(filepath.Dir(d.Socket)); err != nil {
			return tailnet.Status{}, err
		}
		argv, err := deaf(programs.daemon,
			"--tun=userspace-networking", "--statedir="+b.path("state"), "--socket="+d.Socket, "--port=0", "--no-logs-no-support")
		if err != nil {
			return tailnet.Status{}, err
		}
		if ended, err = b.begin("tailscaled", argv[0], argv[1:]...); err != nil {
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

// up joins the tailnet. The key is in a file for its owner alone, and only until this returns.
func (b *berth) up(ctx context.Context, programs programs) (tailnet.Status, error) {
	file := b.path("key")
	defer os.Remove(file)
	_ = os.Remove(file)
	if err := os.WriteFile(file, []byte(b.order.Key), 0o600); err != nil {
		return tailnet.Status{}, err
	}
	args := []string{
		"--socket=" + b.socket(), "up", "--auth-key=file:" + file, "--hostname=" + b.order.Host, "--advertise-tags=" + b.order.Tag,
		"--accept-dns=false", "--accept-routes=false", "--reset", "--timeout=60s",
	}
	if b.order.Login != "" {
		args = append(args, "--login-server="+b.order.Login)
	}
	ctx, cancel := context.WithTimeout(ctx, 70*time.Second)
	defer cancel()
	var out []byte
	var err error
	for range 2 { // after an attempt with a bad key, the next one is told of that first
		cmd := exec.CommandContext(ctx, programs.command, args...)
		cmd.WaitDelay = time.Second
		if out, err = cmd.CombinedOutput(); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return tailnet.Status{}, fmt.Errorf("tailscale up: %w: %s", errors.Join(ctx.Err(), err), b.scrub(string(out)))
	}
	s, err := (tailnet.Daemon{Socket: b.socket()}).Status(ctx)
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

// begin starts a program that outlives this one and its session, and tells when it has ended. Its last words are kept.
func (b *berth) begin(name, exe string, args ...string) (<-chan struct{}, error) {
	log, err := os.OpenFile(b.path(name+".log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(exe, args...)
	cmd.Dir = b.home
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	return ended, nil
}

// moment passes some time, unless what is waited for has ended.
func (b *berth) moment(ctx context.Context, ended <-chan struct{}) error {
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ended:
		return errors.New("it has ended")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// last is what a program said last.
func (b *berth) last(name string) string {
	f, err := os.Open(b.path(name + ".log"))
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 1000 {
		_, _ = f.Seek(-1000, io.SeekEnd)
	}
	raw, _ := io.ReadAll(io.LimitReader(f, 1000))
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return ""
	}
	return ": " + b.scrub(string(raw))
}
