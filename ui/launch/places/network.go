package places

import (
	"context"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/ui/launch/problem"
)

// Network returns why local ships in a sandbox will have no networks of their own, nil when they will.
func Network(ctx context.Context, hub fleet.Hub) error {
	p, err := Local(hub)
	if err != nil {
		return err
	}
	return p.Network(ctx)
}

// Reached checks that agents in sandboxes on this machine can reach their model, whose address is in env and may be of this machine. expose lists
// the ports of this machine that ships reach.
func Reached(ctx context.Context, hub fleet.Hub, agents []agent.Agent, env map[string]string, expose []int) error {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		service, isModel := strings.CutSuffix(strings.TrimPrefix(name, "GOOGLE_"), "_BASE_URL")
		port, here := ownPort(env[name])
		theirs := slices.ContainsFunc(agents, func(a agent.Agent) bool {
			return slices.ContainsFunc(a.Keys, func(key string) bool { return strings.HasPrefix(key, service+"_") })
		})
		if !isModel || !here || !theirs || slices.Contains(expose, port) {
			continue
		}
		if shared := Network(ctx, hub); shared != nil {
			continue
		}
		return problem.New(problem.Usage, problem.Agent, "write in "+hub.ConfigFile()+": local: {expose: ["+strconv.Itoa(port)+"]}",
			"%s is port %d of this machine, which its ships do not reach", name, port)
	}
	return ctx.Err()
}

// ownPort returns the port of an address on this machine's loopback.
func ownPort(address string) (port int, here bool) {
	at, err := url.Parse(address)
	if err != nil {
		return 0, false
	}
	ip, err := netip.ParseAddr(at.Hostname())
	if at.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
		return 0, false
	}
	switch number := at.Port(); {
	case number != "":
		port, err = strconv.Atoi(number)
		return port, err == nil
	case at.Scheme == "https":
		return 443, true
	}
	return 80, true
}
