package launch

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
	p, err := localShips(hub)
	if err != nil {
		return err
	}
	return p.Network(ctx)
}

// reached checks that agents on this machine can reach their model, which may also listen on this machine.
func (y Yard) reached(ctx context.Context, d *draft) error {
	o := d.order
	if !o.isHere() || !o.runsModel() || o.Unconfined || o.Unwalled != nil {
		return nil //nolint:nilerr // who is without walls reaches all
	}
	all, err := o.agents()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(o.env)) {
		service, isModel := strings.CutSuffix(strings.TrimPrefix(name, "GOOGLE_"), "_BASE_URL")
		port, here := ownPort(o.env[name])
		theirs := slices.ContainsFunc(all, func(a agent.Agent) bool {
			return slices.ContainsFunc(a.Keys, func(key string) bool { return strings.HasPrefix(key, service+"_") })
		})
		if !isModel || !here || !theirs || slices.Contains(d.config.Local.Expose, port) {
			continue
		}
		if shared := Network(ctx, y.Hub); shared != nil {
			continue
		}
		return problem.New(problem.Usage, problem.Agent, "write in "+y.Hub.ConfigFile()+": local: {expose: ["+strconv.Itoa(port)+"]}",
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
