package pullrequest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"ocaptain/fleet/clean"
)

// Open opens the pull request of a pushed branch in a repository on GitHub, with the program gh, and returns its
// address. token logs in, "" for the captain's own login; home must be outside all repositories, whose settings would
// affect gh.
func (r Request) Open(ctx context.Context, repo, token, home string, environ []string) (string, error) {
	argv := []string{"gh", "pr", "create", "--repo", repo, "--head", r.Branch, "--title=" + r.Title, "--body-file", "-"}
	if r.Onto != "" {
		argv = append(argv, "--base="+r.Onto)
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		return "", fmt.Errorf("gh is not installed here: open it on GitHub, or install gh and run: %s", strings.Join(argv, " "))
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = home
	cmd.Env = append(environ, "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1")
	if token != "" {
		cmd.Env = append(cmd.Env, "GH_TOKEN="+token)
	}
	var said, wrong bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(r.Text), &said, &wrong
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("gh: %w", err), errors.New(clean.Text(strings.TrimSpace(wrong.String()))))
	}
	return clean.Line(strings.TrimSpace(said.String())), nil
}
