package run

import (
	"cmp"
	"context"
	"os"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// isInterrupted reports whether the agent was interrupted and has got no message since.
func (t *turns) isInterrupted() bool {
	_, err := os.Stat(t.home.Interrupted())
	return err == nil
}

// awaitMessage waits until the interrupted agent has got a message.
func (t *turns) awaitMessage(ctx context.Context) {
	why, _ := os.ReadFile(t.home.Interrupted())
	t.reportState(ctx, proto.AgentState{State: proto.StateWaiting, Why: cmp.Or(string(why), proto.Interrupted)})
	for {
		if _, there := shipdir.NextMail(t.home); there {
			_ = os.Remove(t.home.Interrupted())
			return
		}
		if retry.Sleep(ctx, time.Second) != nil {
			return // a runner that is started again waits again
		}
	}
}
