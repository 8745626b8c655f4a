package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/sync/gitflow"
	"ocaptain/tasks"
)

// CheckPush says what keeps the work of an order from being pushed, or from becoming a pull request, as far as that can be known.
func (o *Order) CheckPush(pr bool) error {
	if pr && gitHubName(o.Repo) == "" {
		return problem(Usage, Repo, "leave --pr out, or push alone with --push", "%s is not on GitHub, and has no pull requests", o.Repo)
	}
	return nil
}

// gitHubName is owner/repo of a repository on GitHub, "" for another.
func gitHubName(r tasks.Repo) string {
	if r.Kind == tasks.RepoGitHub {
		return r.Name
	}
	for _, before := range []string{"https://github.com/", "ssh://git@github.com/", "git@github.com:"} {
		if name, ok := strings.CutPrefix(r.Name, before); ok && r.Kind == tasks.RepoURL {
			return strings.TrimSuffix(strings.TrimRight(name, "/"), ".git")
		}
	}
	return ""
}

// Push brings the branch of a dispatch that is done to the repository, with the captain's own login, or GH_TOKEN where that is set.
func (y Yard) Push(ctx context.Context, o *Order, d fleet.Dir, r *fleet.DispatchResult) error {
	if r.Commit == r.Base {
		return fmt.Errorf("dispatch %s has changed nothing: there is nothing to push", r.Task)
	}
	return gitflow.Push(ctx, d.Workspace(), o.source, r.Branch, gitflow.PrepareOptions{Token: o.github})
}

// PullRequest opens a pull request for a branch that was pushed, with the program gh, and returns its address.
func (y Yard) PullRequest(ctx context.Context, o *Order, r *fleet.DispatchResult) (string, error) {
	argv := pullRequest(o, r)
	if _, err := exec.LookPath(argv[0]); err != nil {
		return "", fmt.Errorf("gh is not installed here: open it on GitHub, or install gh and run: %s", strings.Join(argv, " "))
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = y.Hub.Home // no repository of somebody else's has a say
	cmd.Env = append(y.Environ, "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1")
	if o.github != "" {
		cmd.Env = append(cmd.Env, "GH_TOKEN="+o.github)
	}
	var said, wrong bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(pullRequestText(r)), &said, &wrong
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("gh: %w", err), errors.New(clean.Text(strings.TrimSpace(wrong.String()))))
	}
	return clean.Line(strings.TrimSpace(said.String())), nil
}

// pullRequest is the command that opens it. Its text comes from standard input.
func pullRequest(o *Order, r *fleet.DispatchResult) []string {
	title := clean.Line((tasks.Dispatch{Command: r.Command}).Task().Subject)
	argv := []string{"gh", "pr", "create", "--repo", gitHubName(o.Repo), "--head", r.Branch, "--title=" + title, "--body-file", "-"}
	if r.From != "" && !strings.HasPrefix(r.From, fleet.DispatchFolder+"/") {
		argv = append(argv, "--base="+r.From)
	}
	return argv
}

// pullRequestText is what the pull request says: the command and the agent's summary.
func pullRequestText(r *fleet.DispatchResult) string {
	text := strings.TrimSpace(clean.Text(r.Command))
	if r.Said != "" {
		text += "\n\n---\n\n" + strings.TrimSpace(clean.Text(r.Said))
	}
	return text + "\n"
}
