package exedev

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/retry"
)

// connectsMax is how many connections all processes together make within Options.Pace. They share one connection,
// since the lobby stops answering a client that connects about five times within a few seconds.
const connectsMax = 3

// awaitTurn waits until the lobby will tolerate another connection, and counts that. The connections of all processes
// are counted in a file. The caller holds the lock that keeps other processes from connecting.
func (l *lobby) awaitTurn(ctx context.Context) error {
	for {
		wait, err := l.connects()
		if err != nil || wait <= 0 {
			return err
		}
		if err := retry.Sleep(ctx, wait+time.Millisecond); err != nil {
			return fmt.Errorf("waiting to connect, as the lobby minds too many connections: %w", err)
		}
	}
}

// connects counts a connection, or returns how long to wait before it.
func (l *lobby) connects() (time.Duration, error) {
	file := filepath.Join(l.options.Dir, ".connects")
	raw, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return 0, fmt.Errorf("connections to exe.dev: %w", err)
	}
	now := time.Now()
	var recent []time.Time
	for _, word := range strings.Fields(string(raw)) {
		nanos, err := strconv.ParseInt(word, 10, 64)
		if at := time.Unix(0, nanos); err == nil && !at.After(now) && now.Sub(at) < l.options.Pace {
			recent = append(recent, at)
		}
	}
	if len(recent) >= connectsMax {
		return l.options.Pace - now.Sub(recent[len(recent)-connectsMax]), nil
	}
	var b strings.Builder
	for _, at := range append(recent, now) {
		fmt.Fprintln(&b, at.UnixNano())
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		return 0, fmt.Errorf("connections to exe.dev: %w", err)
	}
	return 0, nil
}
