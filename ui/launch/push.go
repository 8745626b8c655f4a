package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"ocaptain/ui/launch/pullrequest"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks"
	"ocaptain/ui/launch/problem"
)

// CheckPush returns what prevents the work of an order from being pushed, or from becoming a pull request, as far as that can be
// known.
func (o *Order) CheckPush(pr bool) error {
	if pr && gitHubName(o.Repo) == "" {
		return problem.New(problem.Usage, problem.Repo, "push alone, with --push", "%s is not on GitHub, and has no pull requests", o.Repo)
	}
	return nil
}

// gitHubName returns owner/repo for a repository on GitHub, "" for another.
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

// Push pushes a branch of a voyage to the repository, with the captain's own login, or GH_TOKEN if that is set. It returns the
// branch's name there: as, or for "" the first free name derived from the branch's own.
func (y Yard) Push(ctx context.Context, o *Order, d fleet.Dir, branch, as string) (string, error) {
	opts := origin.Options{Token: o.github}
	if as == "" {
		return origin.PushFree(ctx, d.Workspace(), o.source, branch, opts)
	}
	return as, origin.Push(ctx, d.Workspace(), o.source, branch, as, opts)
}

// OpenPullRequest opens a pull request for a pushed branch, with the program gh, and returns its address.
func (y Yard) OpenPullRequest(ctx context.Context, o *Order, r pullrequest.Request) (string, error) {
	argv := []string{"gh", "pr", "create", "--repo", gitHubName(o.Repo), "--head", r.Branch, "--title=" + r.Title, "--body-file", "-"}
	if r.Onto != "" {
		argv = append(argv, "--base="+r.Onto)
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		return "", fmt.Errorf("gh is not installed here: open it on GitHub, or install gh and run: %s", strings.Join(argv, " "))
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = y.Hub.Home // so that no other repository affects gh
	cmd.Env = append(y.Environ, "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1")
	if o.github != "" {
		cmd.Env = append(cmd.Env, "GH_TOKEN="+o.github)
	}
	var said, wrong bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(r.Text), &said, &wrong
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("gh: %w", err), errors.New(clean.Text(strings.TrimSpace(wrong.String()))))
	}
	return clean.Line(strings.TrimSpace(said.String())), nil
}

// PushOrder returns an order with which the work of a voyage can be pushed.
func (y Yard) PushOrder(v *fleet.Voyage) (*Order, error) {
	conf, err := y.config(Wish{})
	if err != nil {
		return nil, err
	}
	o := &Order{}
	if o.Repo, err = tasks.ParseRepo(v.Repo); err != nil {
		return nil, err
	}
	o.source = o.Repo.Source(y.Cwd, y.Hub.Home)
	o.github, _ = conf.Variable("GH_TOKEN")
	return o, nil
}
