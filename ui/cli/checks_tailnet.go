package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"ocaptain/fleet/mix"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/tailnet"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/logins"
)

// proving is the time limit for proving a secret of the tailnet.
const proving = time.Minute

// tailnetFindings checks the secret with which ships join the captain's tailnet, when they are to. It keeps a working
// secret at the hub, so that voyages under way can go on using it. Without a secret nothing is wrong: ships are
// reached through their provider.
func tailnetFindings(ctx context.Context, hub fleet.Hub, c config.Config) []finding {
	mix, err := mix.Parse(c.Provider, launch.Providers())
	if err != nil || !logins.JoinsTailnet(mix) {
		return nil
	}
	f := finding{What: "tailnet", Need: "reaching ships directly, by Tailscale; not needed otherwise", State: healthy}
	own, from, wrong := logins.Tailnet(hub, c)
	if wrong != nil {
		f.Found, f.State, f.Required, f.Fix = wrong.Error(), missing, true, strings.ReplaceAll(wrong.Hint, "\n", "; ")
		return []finding{f}
	}
	if own.Secret == "" {
		f.Found = "not set up, as " + tailnet.Variable + " is not set: ships are reached as their provider does"
		if by, err := tailnetRoute(ctx); err == nil {
			f.Found += "; this machine is in a tailnet, by " + by
		}
		return []finding{f}
	}
	found := []finding{reachFinding(ctx, c)}
	api, err := tailnet.Open(own)
	if err == nil {
		defer api.Close()
		ctx, cancel := context.WithTimeout(ctx, proving)
		defer cancel()
		if err = api.CheckAccess(ctx); err == nil {
			err = errors.Join(hub.Make(), install.KeepTailnet(hub, own))
		}
	}
	if err != nil {
		// Ships can sail although the tag is refused or the service is down.
		f.Found, f.State = err.Error()+" (secret: "+from+")", doubt
		f.Fix = "see ocaptain help tailscale; or unset " + tailnet.Variable + " and remove " + install.TailnetFile(hub) + " to do without a tailnet"
		var tag *tailnet.TagError
		if tailnet.IsRefusal(err) && !errors.As(err, &tag) {
			f.State, f.Required = missing, true
		}
		return append(found, f)
	}
	f.Found = "Tailscale makes keys for " + api.DeviceTag() + " (one was made and revoked) and lists its devices, by the secret (" + from + "); helm has it now"
	return append(found, f)
}

// reaching is the time limit for asking the tailscaled of this machine.
const reaching = 5 * time.Second

// tailnetRoute says through what this machine reaches a tailnet.
func tailnetRoute(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, reaching)
	defer cancel()
	return install.Tailnet().DescribeWay(ctx)
}

// reachFinding checks that this machine can reach ships on the tailnet. When it cannot, ships do not join the
// tailnet, and are reached through their provider.
func reachFinding(ctx context.Context, c config.Config) finding {
	f := finding{What: "tailscale", Need: "reaching ships directly from this machine", State: healthy}
	by, err := tailnetRoute(ctx)
	if err != nil {
		f.Found, f.State = err.Error()+"; ships are reached through "+c.Provider, doubt
		f.Fix = "start Tailscale on this machine and log in with: tailscale up"
		return f
	}
	f.Found = "this machine is in a tailnet, by " + by
	return f
}
