package cli

import (
	"context"
	"errors"

	"ocaptain/ui/changes"
)

// gitOutput runs git on content that ships may have written and returns the output without its last newline.
func gitOutput(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := changes.Output(ctx, dir, args...)
	if errors.Is(err, changes.ErrNoGit) {
		return "", newExitError(Missing, "install git, for example with: sudo apt-get install git", "git is not there")
	}
	return out, err
}
