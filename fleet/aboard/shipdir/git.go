package shipdir

import (
	"context"
	"fmt"
	"os/exec"
)

// Git runs git in the ship's clone and returns what it prints. It takes no lock that the agent's git could meet.
func Git(ctx context.Context, clone string, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", clone, "--no-optional-locks"}, args...)...).Output()
	if err != nil {
		err = fmt.Errorf("git %s in the clone: %w", args[0], err)
	}
	return out, err
}
