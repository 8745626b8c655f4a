package cli

import (
	"context"
	"errors"
	"strings"

	"ocaptain/fleet"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
)

// spritesFindings checks what ships on sprites.dev need. A token that is taken is left with the
// hub, so that voyages under way go on with it.
func spritesFindings(ctx context.Context, hub fleet.Hub, c config.Config) []finding {
	if !shipsFrom(c, "sprites") {
		return nil
	}
	f := finding{What: "sprites.dev", Need: "making ships there", State: healthy, Required: true}
	own, from, wrong := launch.Sprites(hub, c)
	if wrong != nil {
		f.Found, f.State, f.Fix = wrong.Error(), missing, strings.ReplaceAll(wrong.Hint, "\n", "; ")
		return []finding{f}
	}
	org, err := launch.SpritesAccount(ctx, own)
	if err != nil {
		f.Found, f.State = err.Error(), missing
		return []finding{f}
	}
	if err := launch.KeepSprites(hub, own, org); err != nil {
		f.Found, f.State = err.Error(), missing
		var wrong *launch.Problem
		if errors.As(err, &wrong) {
			f.Fix = strings.ReplaceAll(wrong.Hint, "\n", "; ")
		}
		return []finding{f}
	}
	what := "the token (" + from + ")"
	if own.Command != "" {
		what = from + ", without a token: through that command, in the name"
	}
	f.Found = "takes " + what + " of " + orWord(org, "an organization that it does not name") + "; helm has it now"
	return []finding{f}
}
