package helm

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/agent/packages"
	"ocaptain/fleet/provider/local"
)

// LocalProvider is the provider of ships on this machine; exe is the program that they run.
// They may read the agents that the hub has fetched and what is bound, reach the ports that are exposed, and nothing else
// of the captain's.
func LocalProvider(h fleet.Hub, exe string, places Places) (*local.Provider, error) {
	if err := h.MakeCache(); err != nil {
		return nil, err
	}
	return local.New(local.Options{
		Root:     filepath.Join(h.State, "ships"),
		Runtime:  h.Runtime,
		Exe:      exe,
		Args:     []string{"aboard", "sshd"},
		Hide:     []string{h.State, h.Voyages, h.Config},
		ReadOnly: []string{h.Agents()},
		Bind:     places.Bind,
		Expose:   places.Expose,
		Bounds:   places.Bounds,
		Nested:   places.Nested,
		Env:      map[string]string{"OCAPTAIN_AGENTS": h.Agents()},
	})
}

// FetchAgent brings an agent's program to the hub, where all ships on this machine find it, and returns its file; "" for
// an agent that has none there. One that is there already costs nothing. say
// is told how far it is, and moved is called whenever more has come, at most once a second.
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
	said := time.Now() // what is there soon is not worth a word
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

// fetchPace is how often a captain is told how far it is.
const fetchPace = 5 * time.Second
