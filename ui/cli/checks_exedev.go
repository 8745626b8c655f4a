package cli

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
)

// exedevFindings checks that exe.dev lets the captain in, when ships are to come from there.
func exedevFindings(ctx context.Context, hub fleet.Hub, c config.Config) []finding {
	if c.Provider != "exedev" {
		return nil
	}
	f := finding{What: "exe.dev", Need: "ships at exe.dev", State: healthy, Required: true}
	account, err := launch.ExeAccount(ctx, hub, c)
	how := ""
	if _, from := c.Env("EXE_TOKEN"); from != "" {
		how = "; by EXE_TOKEN, from " + from
	}
	if f.Found = account.String() + how; err != nil {
		f.Found, f.State = err.Error(), missing
		f.Fix = "ssh exe.dev whoami must work without a question, or set EXE_TOKEN"
	}
	return []finding{f}
}
