package cli

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/logins"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/launch/repository"
	"ocaptain/ui/words"
)

// filterFindings names the filters that the configuration of the repository in this directory defines.
func filterFindings(ctx context.Context, b *bridge) []finding {
	limit, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	names, err := repository.OwnFilters(limit, b.cwd)
	if err != nil || len(names) == 0 {
		return nil
	}
	return []finding{{
		What: "filters", Need: "your own git, which runs them", State: healthy,
		Found: clean.Line("this repository's own configuration defines filters: " + words.Few(names) + "; ocaptain does not run them"),
	}}
}

// repositoryFinding checks that git can read the origin of the repository in this directory, with the login that a
// voyage would have: GH_TOKEN, or whatever git and ssh have.
func repositoryFinding(ctx context.Context, b *bridge, c config.Config) finding {
	f := finding{What: "repository", Found: "not tried, as there is no git repository with an origin here", Need: "voyages that clone it", State: healthy}
	limit, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	out, err := exec.CommandContext(limit, "git", "-C", b.cwd, "remote", "get-url", "origin").Output()
	origin := strings.TrimSpace(string(out))
	if err != nil || origin == "" {
		return f
	}
	repo, err := tasks.ParseRepo(origin)
	if err != nil {
		f.Found, f.State, f.Fix = err.Error(), doubt, "git remote set-url origin ADDRESS"
		return f
	}
	f.Found = repo.Name + ", the origin here, can be read"
	token, _ := c.Variable("GH_TOKEN")
	if wrong, _ := logins.WrongForm("GH_TOKEN", token, false); wrong != "" {
		token = "" // another finding reports it, and no voyage would use it
	}
	var wrong *problem.Problem
	work := repository.Work{Repo: repo, Source: repo.Source(b.cwd, b.hub.Home), Token: token}
	if err := work.Check(ctx, b.hub.Home, false); errors.As(err, &wrong) {
		f.Found, f.State, f.Fix = err.Error(), doubt, wrong.Hint
	} else if err != nil {
		f.Found, f.State = err.Error(), doubt
	}
	return f
}
