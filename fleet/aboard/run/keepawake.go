package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// awakeSocket is where a machine of sprites.dev takes the tasks that keep it from being
// paused. Other machines have none.
const awakeSocket = "/.sprite/api.sock"

// The rhythm of staying awake: a task outlives the loss of its renewal by a few minutes, so
// that nothing bills for ever.
const (
	awakeFor   = 5 * time.Minute
	awakeEvery = time.Minute
)

// keepAwake keeps this machine from being paused for a while, an hour at the most; no time at
// all lets it sleep. It replaces what was asked before. A machine that is never paused does nothing.
func keepAwake(ctx context.Context, socket, name string, long time.Duration) error {
	if _, err := os.Stat(socket); os.IsNotExist(err) {
		return nil
	}
	method, body := http.MethodPut, []byte(nil)
	if long <= 0 {
		method = http.MethodDelete
	} else {
		body, _ = json.Marshal(map[string]string{"expire": long.String()})
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://sprite/v1/tasks/"+name, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return fmt.Errorf("keep the machine awake: %w", err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16))
	if answer.StatusCode >= 300 && answer.StatusCode != http.StatusNotFound {
		return fmt.Errorf("keep the machine awake: its answer is %s", answer.Status)
	}
	return nil
}

// startAwake begins to stay awake and returns how to end that.
func (r *runner) startAwake(ctx context.Context) (sleep func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); r.stayAwake(ctx, awakeSocket, awakeEvery) }()
	return func() {
		cancel()
		<-done
	}
}

// stayAwake keeps the machine awake while the agent works, until ctx ends. An agent that waits
// or rests may be paused: whoever has something for it connects, which wakes it.
func (r *runner) stayAwake(ctx context.Context, socket string, every time.Duration) {
	if _, err := os.Stat(socket); err != nil {
		return
	}
	const task = "ocaptain-agent"
	tick := time.NewTicker(every)
	defer tick.Stop()
	for asked := false; ; {
		works := true // outside tmux nobody knows
		if window, err := os.ReadFile(r.home.Window()); err == nil {
			works = strings.HasSuffix(strings.TrimSpace(string(window)), " "+shipdir.WindowName(proto.StateWorking))
		}
		switch {
		case works:
			if err := keepAwake(ctx, socket, task, awakeFor); err != nil && ctx.Err() == nil && !asked {
				r.book.Log("warn", r.book.Clean(err.Error(), 1<<10), "")
			}
			asked = true
		case asked:
			asked = keepAwake(ctx, socket, task, 0) != nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if asked {
				_ = keepAwake(context.WithoutCancel(ctx), socket, task, 0)
			}
			return
		}
	}
}
