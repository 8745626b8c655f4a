package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/install"
	"ocaptain/tasks"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/repository"
	"ocaptain/ui/planmake"
)

// material brings the repository of an order to this machine, unless it is here already. gone removes what material
// made.
func (b *bridge) material(ctx context.Context, c config.Config, o *planmake.Order, named string, say func(string)) (gone func(), err error) {
	gone = func() {}
	o.Dir = resolved(o.Dir) // the plan goes to the target of a link, and the link stays
	repo, err := b.repoToPlan(named)
	if err != nil {
		return gone, newExitError(Usage, "", "%w", err)
	}
	if repo.Kind == tasks.RepoPath {
		o.Source = repo.Source(b.cwd, b.hub.Home)
		info, err := os.Stat(o.Source)
		switch {
		case err != nil:
			return gone, newExitError(NotFound, "check the path", "repository: %w", err)
		case !info.IsDir():
			return gone, newExitError(Usage, "", "repository %s is not a directory", o.Source)
		}
		// The agent sees paths with links resolved, the plan's path included, and one of the two may lie inside the other.
		if o.Source, err = filepath.EvalSymlinks(o.Source); err != nil {
			return gone, err
		}
		o.Repo = repoFor(o.Dir, o.Source).String()
		say(o.Agent.Name + " makes a plan for " + o.Source)
		return gone, nil
	}
	room, err := os.MkdirTemp("", "ocaptain-plan-")
	if err != nil {
		return gone, err
	}
	gone = func() { _ = os.RemoveAll(room) }
	if room, err = filepath.EvalSymlinks(room); err != nil {
		return gone, err
	}
	o.Source, o.Repo = filepath.Join(room, "repository"), repo.String()
	if repo.Kind == tasks.RepoFresh {
		o.Fresh = true
		say(o.Agent.Name + " makes a plan for a fresh repository")
		return gone, os.Mkdir(o.Source, 0o755)
	}
	work := repository.Work{Repo: repo, Source: repo.Source(b.cwd, b.hub.Home)}
	work.Token, _ = c.Variable("GH_TOKEN")
	if err := work.Check(ctx, b.hub.Home, false); err != nil {
		return gone, orderError(err)
	}
	say("fetching " + repo.String())
	if _, err = work.Prepare(ctx, o.Source, "plan"); err != nil {
		return gone, err
	}
	say(o.Agent.Name + " makes a plan for " + repo.String())
	return gone, nil
}

// repoToPlan returns the repository that the captain named, or else the one around the working directory, or else a
// fresh one.
func (b *bridge) repoToPlan(named string) (tasks.Repo, error) {
	if named != "" {
		return tasks.ParseRepo(named)
	}
	for dir := b.cwd; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return tasks.Repo{Kind: tasks.RepoPath, Name: dir}, nil
		}
		if dir == filepath.Dir(dir) {
			return tasks.Repo{Kind: tasks.RepoFresh}, nil
		}
	}
}

// resolved resolves the links in the existing part of a path.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return path
}

// ownAgent finds the agent's program for this machine in the version that ocaptain is tested with: the captain's own
// program, or the program that is kept for ships, which it fetches if need be. When neither can be had, it returns the
// captain's own program of whatever version, which fails on options that it does not know.
func ownAgent(ctx context.Context, hub fleet.Hub, a agent.Agent, say func(string)) (string, error) {
	own, _ := exec.LookPath(a.Version[0])
	if own != "" {
		if out, err := launch.Printed(ctx, append([]string{own}, a.Version[1:]...)...); err == nil && a.Check(out) == nil {
			return own, nil
		}
	}
	kept, err := install.FetchAgent(ctx, hub, a, say, func() {})
	if err == nil {
		return kept, nil
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case own != "":
		say(fmt.Sprintf("using %s, which is another version", own))
		return own, nil
	}
	return "", newExitError(Missing, "put "+a.Name+" "+a.Gets()+" on the PATH", "%s is not on this machine and could not be fetched: %w", a.Name, err)
}
