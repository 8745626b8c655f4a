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

// startProgram starts a program that outlives this process and its session. The channel is closed when it has ended.
func (b *berth) startProgram(name string, argv ...string) (<-chan struct{}, error) {
	log, err := os.OpenFile(b.pathOf(name+".log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
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

// moment waits a moment, and returns an error if the program has ended.
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

// lastOutput returns the last output of a program.
func (b *berth) lastOutput(name string) string {
	f, err := os.Open(b.pathOf(name + ".log"))
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
	return ": " + b.withoutKey(string(raw))
}
