package launch

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/fleet/helm"
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

// Notify returns a function that reads the notify command from config.yaml.
func Notify(hub fleet.Hub) helm.Notify {
	return func() ([]string, error) {
		c, err := config.Load(config.Sources{Dir: hub.Config})
		if len(c.Notify) > 0 {
			err = nil // errors in other settings do not matter here
		}
		return c.Notify, err
	}
}

// Keep returns a function that reads from config.yaml how much disk sunk voyages may use.
func Keep(hub fleet.Hub) helm.Keep {
	return func() (int64, error) {
		c, err := config.Load(config.Sources{Dir: hub.Config})
		return c.Disk.Keep, err
	}
}

// CountMachines counts the machines of this install at all providers, the hosts in config.yaml included.
func CountMachines(ctx context.Context, hub fleet.Hub) machines.Counts {
	return install.Count(ctx, hub, Settings(hub))
}
