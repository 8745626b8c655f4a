package cli

import (
	"context"
	"errors"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/logins"
)

// providerFindings checks that the configured providers accept the captain's logins. It keeps a working login at the hub, so
// that voyages under way can go on using it.
func providerFindings(ctx context.Context, hub fleet.Hub, c config.Config) (all []finding) {
	for _, d := range registry.All() {
		if d.Login == nil || !shipsFrom(c, d.Name) {
			continue
		}
		f := finding{What: d.Service, Need: "ships " + d.Where, State: healthy, Required: true}
		said, err := proveLogin(ctx, d, logins.Captain(hub, c))
		if f.Found = said; err != nil {
			f.Found, f.State = err.Error(), missing
		}
		var fault *describe.Fault
		if errors.As(err, &fault) {
			f.Fix = strings.ReplaceAll(fault.Fix, "\n", "; ")
		}
		all = append(all, f)
	}
	return all
}

// proveLogin finds the login for a provider, checks that the provider accepts it, and stores it.
func proveLogin(ctx context.Context, d describe.Provider, c describe.Captain) (said string, err error) {
	l, err := d.Login(c)
	if err != nil {
		return "", err
	}
	if said, err = l.Prove(ctx); err != nil {
		return "", err
	}
	return said, l.Keep()
}
