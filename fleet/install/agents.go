package install

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
)

// FetchAgent downloads an agent's program to the hub, where all ships on this machine find it, unless it is there
// already. It returns the program's file, "" for an agent without a program to download. It calls say with its progress,
// and moved when more data has arrived, at most once a second.
func FetchAgent(ctx context.Context, h fleet.Hub, a agent.Agent, say func(string), moved func()) (string, error) {
	if !a.Packaged {
		return "", nil
	}
	p, err := a.Program(packages.Here())
	if err != nil {
		return "", err
	}
	if err := h.MakeCache(); err != nil {
		return "", err
	}
	said := time.Now() // a fast download needs no report
	return p.Get(ctx, h.Agents(), func(done, all int64) {
		moved()
		if time.Since(said) < fetchPace {
			return
		}
		said = time.Now()
		if all > 0 {
			say(fmt.Sprintf("fetching %s: %d of %d MB", p, done>>20, all>>20))
			return
		}
		say(fmt.Sprintf("fetching %s: %d MB", p, done>>20))
	})
}

// HasAgent reports whether an agent's program is on the hub.
func HasAgent(h fleet.Hub, a agent.Agent) bool {
	p, err := a.Program(packages.Here())
	return err == nil && p.Find(h.Agents()) != ""
}

// fetchPace is the time between reports of progress.
const fetchPace = 5 * time.Second
