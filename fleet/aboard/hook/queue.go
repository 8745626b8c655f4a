package hook

import (
	"context"
	"os"
	"time"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/retry"
)

// queueWait is how long the transcript may take to tell of the turn that has ended. Claude Code writes it up to some three seconds late.
const queueWait = 4 * time.Second

// queued returns the gists of what the agent was told in the middle of turns and begins with as soon as this one is over. It matters where
// the end of a turn is the end of a dispatch: that may be among them.
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
