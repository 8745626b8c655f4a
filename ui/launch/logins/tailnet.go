package logins

import (
	"context"
	"errors"
	"slices"
	"time"

	"ocaptain/fleet/mix"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/tailnet"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
)

// JoinsTailnet reports whether some ships of a mix join the captain's tailnet.
func JoinsTailnet(m mix.Mix) bool {
	return slices.ContainsFunc(m, func(p mix.Part) bool { return registry.Of(p.Provider).Tailnet })
}

// Tailnet returns the credentials that make keys for ships on the tailnet, and where they come from: the environment,
// or what an earlier voyage stored at the hub. Without a secret, ships are reached through their provider, which is
// not a problem. The problem never repeats a part of the secret.
func Tailnet(hub fleet.Hub, c config.Config) (tailnet.Credentials, string, *problem.Problem) {
	var own tailnet.Credentials
	var from string
	hint := "copy it again, or unset " + tailnet.Variable + " to do without a tailnet"
	if own.Secret, from = c.Variable(tailnet.Variable); own.Secret != "" {
		from = tailnet.Variable + ", from " + from
	} else {
		kept, err := install.KeptTailnet(hub)
		if errors.Is(err, tailnet.ErrNoSecret) {
			return own, "", nil
		}
		file := install.TailnetFile(hub)
		own, from, hint = kept, "kept in "+file, "set "+tailnet.Variable+" to another secret, or remove "+file+" to do without a tailnet"
		if err != nil {
			return own, from, &problem.Problem{Kind: problem.Missing, Field: problem.Provider, Err: err, Hint: hint}
		}
	}
	if c.Tag != "" {
		own.Tag = c.Tag
	}
	if address, _ := c.Variable("OCAPTAIN_TAILSCALE_URL"); address != "" {
		own.URL = address
	}
	if err := own.Check(); err != nil {
		return own, from, &problem.Problem{Kind: problem.Missing, Field: problem.Provider, Err: err, Hint: hint}
	}
	return own, from, nil
}

// admitting is the time limit for asking Tailscale about the secret.
const admitting = 15 * time.Second

// Admitted checks that Tailscale accepts the secret, if there is one, before anything is made. When Tailscale does not answer, ships
// sail all the same: each then says how it is reached.
func (f *Found) Admitted(ctx context.Context, hub fleet.Hub) error {
	if f.tailnet.Secret == "" {
		return nil
	}
	api, err := tailnet.Open(f.tailnet)
	if err != nil {
		return &problem.Problem{Kind: problem.Missing, Field: problem.Provider, Err: err}
	}
	defer api.Close()
	asking, cancel := context.WithTimeout(ctx, admitting)
	defer cancel()
	err = api.Admitted(asking)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case tailnet.IsRefusal(err):
		return &problem.Problem{Kind: problem.Missing, Field: problem.Provider, Err: err, Hint: "or unset " + tailnet.Variable + " and remove " + install.TailnetFile(hub) + " to do without a tailnet"}
	}
	return nil
}
