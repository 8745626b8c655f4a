package launch

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"ocaptain/tasks"
	"ocaptain/ui/changes"
)

// topLevel is the directory of the repository that dir lies in, and dir itself when it lies in none or is bare.
func topLevel(ctx context.Context, dir string) string {
	if below, err := changes.Output(ctx, dir, "rev-parse", "--show-prefix"); err != nil || below == "" {
		return dir
	}
	if top, err := changes.Output(ctx, dir, "rev-parse", "--show-toplevel"); err == nil && top != "" {
		return top
	}
	return dir
}

// identity is the same for all names of a repository: for one on this machine the directory that its worktrees have in common.
func identity(ctx context.Context, repo string) string {
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
