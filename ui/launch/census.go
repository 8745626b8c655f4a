package launch

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/fleet/helm"
	"ocaptain/ui/cli/config"
)

// Census counts the machines of this install where they are, on the hosts that config.yaml
// names, too.
func Census(ctx context.Context, hub fleet.Hub) helm.Census {
	return helm.Count(ctx, hub, helm.Places{Hosts: func() ([]string, error) {
		c, err := config.Load(config.Sources{Dir: hub.Config})
		return c.Hosts, err
	}})
}
