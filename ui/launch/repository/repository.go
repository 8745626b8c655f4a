// Package repository looks at the repository of an order: whether it can be read, what of the captain's checkout is not committed, and where work
// begins.
package repository

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/launch/problem"
)

// FetchFlag is the flag that fetches the newest state of the remote.
const FetchFlag = "--fetch"

// Work is the repository of an order, and where work on it begins.
type Work struct {
	Repo   tasks.Repo
	Source string // what git clones, "" for a fresh repository
	Token  string // reads private repositories on GitHub, "" for none
	Fetch  string // what asks for the remote's newest state, FetchFlag or a setting, "" for nothing
	Base   string // where work begins, "" for the source's own head

	remote string // address from which Base is fetched, "" for Source
}

// TopLevel returns the top directory of the repository around dir, or dir itself when there is none or the repository
// is bare.
func TopLevel(ctx context.Context, dir string) string {
	if below, err := changes.Output(ctx, dir, "rev-parse", "--show-prefix"); err != nil || below == "" {
		return dir
	}
	if top, err := changes.Output(ctx, dir, "rev-parse", "--show-toplevel"); err == nil && top != "" {
		return top
	}
	return dir
}

// Identity returns a value that is the same for all names of a repository: for a local one the directory that its worktrees
// share.
func Identity(ctx context.Context, repo string) string {
	r, err := tasks.ParseRepo(repo)
	if err != nil {
		return repo
	}
	if name := gitHubName(r); name != "" {
		return "github.com/" + strings.ToLower(name)
	}
	dir := repo
	if u, err := url.Parse(repo); err == nil && u.Scheme == "file" {
		dir = u.Path
	}
	if !filepath.IsAbs(dir) {
		return repo
	}
	if common, err := changes.Output(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir"); err == nil {
		dir = common
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Clean(dir)
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

// CheckPush returns what prevents work from being pushed, or with pr from becoming a pull request, as far as that can be known.
func (w *Work) CheckPush(pr bool) error {
	if pr && w.GitHubName() == "" {
		return problem.New(problem.Usage, problem.Repo, "push alone, with --push", "%s is not on GitHub, and has no pull requests", w.Repo)
	}
	return nil
}

// GitHubName returns owner/repo for a repository on GitHub, "" for another.
func (w *Work) GitHubName() string { return gitHubName(w.Repo) }

// Push pushes a branch of the clone at dir to the repository, with the captain's own login, or with Token if that is set. It returns the
// branch's name there: as, or for "" the first free name derived from the branch's own.
func (w *Work) Push(ctx context.Context, dir, branch, as string) (string, error) {
	opts := origin.Options{Token: w.Token}
	if as == "" {
		return origin.PushFree(ctx, dir, w.Source, branch, opts)
	}
	return as, origin.Push(ctx, dir, w.Source, branch, as, opts)
}

// Remote returns the address of the repository at which other hubs can take part in the work: its own, or that of the remote of a repository
// on this machine. It is "" when only this machine has it.
func (w *Work) Remote(ctx context.Context) string {
	switch w.Repo.Kind {
	case tasks.RepoGitHub, tasks.RepoURL:
		return w.Source
	case tasks.RepoPath:
		c := checkout{ctx, w.Source}
		if all := c.remotes(); len(all) > 0 {
			if repo, err := c.address(all[0]); err == nil && repo.Kind != tasks.RepoPath {
				return repo.Source(c.dir, "")
			}
		}
	}
	return ""
}
