package shipdir

import (
	"context"
	"fmt"
	"io"
	"os/exec"
)

// Git runs git in the ship's clone and returns its output. It takes no optional lock, which could get in the way of
// the agent's git.
func Git(ctx context.Context, clone string, args ...string) ([]byte, error) {
	return GitInput(ctx, clone, nil, args...)
}

// GitInput is Git with a standard input.
func GitInput(ctx context.Context, clone string, in io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", clone, "--no-optional-locks"}, args...)...)
	cmd.Stdin = in
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s in the clone: %w", args[0], err)
	}
	return out, err
}
