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
)

// proving bounds the proof that a secret for the tailnet is good.
const proving = time.Minute

// tailnetFindings checks what ships need to join the captain's tailnet, where they would. A
// secret that is good is left with the hub, so that voyages under way go on with it. Without one all
// is well: ships are reached as their provider does.
func tailnetFindings(ctx context.Context, hub fleet.Hub, c config.Config) []finding {
	mix, err := mix.Parse(c.Provider, launch.Providers())
	if err != nil || !launch.JoinsTailnet(mix) {
		return nil
	}
	f := finding{What: "tailnet", Need: "reaching ships directly, by Tailscale; not needed otherwise", State: healthy}
	own, from, wrong := launch.Tailnet(hub, c)
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
		// A tag that is refused, or a service that is down, keeps no ship from sailing.
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

// reaching bounds the question to the tailscaled of this machine.
const reaching = 5 * time.Second

// tailnetRoute tells by what this machine reaches a tailnet.
func tailnetRoute(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, reaching)
	defer cancel()
	return install.Tailnet().DescribeWay(ctx)
}

// reachFinding checks that ships on the tailnet could be reached from this machine. Where they cannot,
// they join none, and are reached as their provider does.
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
