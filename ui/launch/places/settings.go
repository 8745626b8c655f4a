package places

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/ui/cli/config"
)

// Settings returns the settings of providers. Each of its functions reads config.yaml when it is called.
func Settings(hub fleet.Hub) describe.Settings {
	return settingsOf(func() (config.Config, error) { return config.Load(config.Sources{Dir: hub.Config}) })
}

// settingsOf returns the settings of providers from the configuration that load returns, which is called for each
// setting.
func settingsOf(load func() (config.Config, error)) describe.Settings {
	return describe.Settings{
		Hosts: func() ([]string, error) {
			c, err := load()
			return c.Hosts, err
		},
		Bind: func() ([]string, error) {
			c, err := load()
			return c.Local.Bind, err
		},
		Expose: func() ([]int, error) {
			c, err := load()
			return c.Local.Expose, err
		},
		Nested: func() (bool, error) {
			c, err := load()
			return c.Local.Nested, err
		},
		Bounds: func() (sandbox.Bounds, error) {
			c, err := load()
			return sandbox.Bounds{Processes: c.Local.Processes, Memory: c.Local.Memory, Disk: c.Local.Disk}, err
		},
	}
}

// CountMachines counts the machines of this install at all providers, the hosts in config.yaml included.
func CountMachines(ctx context.Context, hub fleet.Hub) machines.Counts {
	return install.Count(ctx, hub, Settings(hub))
}
