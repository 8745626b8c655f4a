package run

import (
	"context"
	"os"
	"strings"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
)

// The rhythm of staying awake: a task outlives its last renewal by a few minutes, so that no
// machine bills without end.
const (
	awakeFor   = 5 * time.Minute
	awakeEvery = time.Minute
)

// startAwake begins to stay awake and returns how to end that.
func (r *runner) startAwake(ctx context.Context) (sleep func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); r.stayAwake(ctx, registry.KeepAwake(), awakeEvery) }()
	return func() {
		cancel()
		<-done
	}
}

// stayAwake keeps the machine awake while the agent works, until ctx ends. The machine of an agent
// that waits or rests may be paused: a connection wakes it.
func (r *runner) stayAwake(ctx context.Context, keepAwake describe.KeepAwake, every time.Duration) {
	if keepAwake == nil {
		return // the machine is never paused
	}
	const task = "ocaptain-agent"
	tick := time.NewTicker(every)
	defer tick.Stop()
	for asked := false; ; {
		works := true // outside tmux the state is unknown
		if window, err := os.ReadFile(r.home.Window()); err == nil {
			works = strings.HasSuffix(strings.TrimSpace(string(window)), " "+shipdir.WindowName(proto.StateWorking))
		}
		switch {
		case works:
			if err := keepAwake(ctx, task, awakeFor); err != nil && ctx.Err() == nil && !asked {
				r.book.Log("warn", r.book.Clean(err.Error(), 1<<10), "")
			}
			asked = true
		case asked:
			asked = keepAwake(ctx, task, 0) != nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			if asked {
				_ = keepAwake(context.WithoutCancel(ctx), task, 0)
			}
			return
		}
	}
}
