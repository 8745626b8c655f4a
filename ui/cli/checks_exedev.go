package cli

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
)

// exedevFindings checks that exe.dev lets the captain in, when ships are to come from there.
func exedevFindings(ctx context.Context, hub fleet.Hub, c config.Config) []finding {
	if !shipsFrom(c, "exedev") {
		return nil
	}
	f := finding{What: "exe.dev", Need: "ships at exe.dev", State: healthy, Required: true}
	account, err := launch.ExeAccount(ctx, hub, c)
	how, fix := "", "ssh exe.dev whoami must work without a question, or set EXE_TOKEN"
	kept, damaged := tokens.StoreOf(hub).ReadToken("exedev")
	file := tokens.StoreOf(hub).File("exedev")
	if token, from := c.Variable("EXE_TOKEN"); token != "" {
		how = "; by EXE_TOKEN, from " + from
	} else if damaged != nil {
		f.Found, f.State, f.Fix = damaged.Error(), missing, "remove the file, or set EXE_TOKEN"
		return []finding{f}
	} else if kept.Secret != "" {
		how, fix = "; by the token kept in "+file, "set EXE_TOKEN to another token, or remove "+file+" to go back to SSH"
	}
	if f.Found = account.String() + how; err != nil {
		f.Found, f.State = err.Error()+how, missing
		f.Fix = fix
	}
	return []finding{f}
}
