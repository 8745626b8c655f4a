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

// Settings reads the settings of providers. Each call of one reads config.yaml.
func Settings(hub fleet.Hub) describe.Settings {
	return settingsOf(func() (config.Config, error) { return config.Load(config.Sources{Dir: hub.Config}) })
}

// settingsOf are the settings of providers in the configuration that load returns whenever one is asked for.
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

// Notify reads the command that calls the captain. Each call of it reads config.yaml.
func Notify(hub fleet.Hub) helm.Notify {
	return func() ([]string, error) {
		c, err := config.Load(config.Sources{Dir: hub.Config})
		if len(c.Notify) > 0 {
			err = nil // other settings that are wrong do not matter here
		}
		return c.Notify, err
	}
}

// Keep reads how much disk sunk voyages may use. Each call of it reads config.yaml.
func Keep(hub fleet.Hub) helm.Keep {
	return func() (int64, error) {
		c, err := config.Load(config.Sources{Dir: hub.Config})
		return c.Disk.Keep, err
	}
}

// CountMachines counts the machines of this install where they are, on the hosts that config.yaml
// names, too.
func CountMachines(ctx context.Context, hub fleet.Hub) machines.Counts {
	return install.Count(ctx, hub, Settings(hub))
}
