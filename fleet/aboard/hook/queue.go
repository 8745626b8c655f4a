package hook

import (
	"context"
	"os"
	"time"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/retry"
)

// queueWait is how long to wait until the transcript contains the turn that has ended. Claude Code writes it up to about three seconds
// late.
const queueWait = 4 * time.Second

// queued returns the gists of messages that the agent got during turns and will answer right after this turn. In a
// pool, such a message may be the next dispatch, so that the agent must not stop after this turn.
func (k *call) queued(ctx context.Context) (gists []string) {
	a, err := agent.Find(k.ship.Agent, k.ship.Custom)
	if err != nil || !k.ship.Given || a.Transcript == nil || a.Box == nil {
		return nil
	}
	began := time.Time{}
	if info, err := os.Stat(k.home.Session()); err == nil {
		began = info.ModTime()
	}
	ctx, cancel := context.WithTimeout(ctx, queueWait)
	defer cancel()
	queue, whole := a.Transcript.Queue(k.in.File, k.in.LastAnswer, began)
	for !whole && retry.Sleep(ctx, 50*time.Millisecond) == nil {
		queue, whole = a.Transcript.Queue(k.in.File, k.in.LastAnswer, began)
	}
	for _, text := range queue {
		gists = append(gists, a.Box.Gist(text))
	}
	return gists
}
