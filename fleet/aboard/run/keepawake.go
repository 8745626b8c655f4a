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

// The rhythm of staying awake. A keep-awake task ends a few minutes after its last renewal, so that a forgotten
// machine stops costing money.
const (
	awakeFor   = 5 * time.Minute
	awakeEvery = time.Minute
)

// startAwake starts to keep the machine awake, and returns a function that stops it.
func (r *runner) startAwake(ctx context.Context) (sleep func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); r.stayAwake(ctx, registry.KeepAwake(), awakeEvery) }()
	return func() {
		cancel()
		<-done
	}
}

// stayAwake keeps the machine awake while the agent works, until ctx ends. While the agent waits or rests, the
// machine may be paused; a connection wakes it.
func (r *runner) stayAwake(ctx context.Context, keepAwake describe.KeepAwake, every time.Duration) {
	if keepAwake == nil {
		return // machines of this provider are never paused
	}
	const task = "ocaptain-agent"
	tick := time.NewTicker(every)
	defer tick.Stop()
	for asked := false; ; {
		works := true // assumed, since the state is unknown outside tmux
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
