package join

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// program is one that outlives this process and its session.
type program struct {
	name  string
	argv  []string
	root  bool     // it needs root
	ready bool     // it tells systemd when it is ready
	after []string // run when it has ended, however
}

// begin starts a program: where systemd looks after services as one of these, which it restarts and starts at boot,
// else by hand. The channel tells when it has ended, where that can be known.
func (b *berth) begin(ctx context.Context, p program) (<-chan struct{}, error) {
	if s, ok := b.systemd(ctx, p.root); ok {
		err := s.start(ctx, p)
		if err == nil || ctx.Err() != nil {
			delete(b.byHand, p.name)
			return nil, err
		}
		b.byHand[p.name] = err
		_ = s.remove(ctx, p.name) // as if it were not there
	}
	log, err := os.OpenFile(b.path(p.name+".log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	argv := p.argv
	if p.root {
		argv = words(argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = b.home
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
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

// last is what a program that was started by hand said last.
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
