package install

import (
	"ocaptain/fleet"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
)

// Env returns the settings from which the providers of this install are made.
func Env(hub fleet.Hub, own supervise.Binary, settings describe.Settings) (describe.Env, error) {
	id, err := ID(hub)
	return describe.Env{Hub: hub, Install: id, Exe: own.Path, Digest: own.Digest, Program: Programs(hub, own), Settings: settings}, err
}

// Providers makes all providers and returns them by name.
func Providers(e describe.Env) (map[string]provider.Provider, error) {
	all := map[string]provider.Provider{}
	for _, d := range registry.All() {
		p, err := d.New(e)
		if err != nil {
			Close(all)
			return nil, err
		}
		all[d.Name] = p
	}
	return all, nil
}

// Close closes the connections of providers.
func Close(all map[string]provider.Provider) {
	for _, p := range all {
		if c, ok := p.(interface{ Close() }); ok {
			c.Close()
		}
	}
}
