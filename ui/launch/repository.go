package launch

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"ocaptain/tasks"
	"ocaptain/ui/changes"
)

// topLevel returns the top directory of the repository around dir, or dir itself when there is none or the repository
// is bare.
func topLevel(ctx context.Context, dir string) string {
	if below, err := changes.Output(ctx, dir, "rev-parse", "--show-prefix"); err != nil || below == "" {
		return dir
	}
	if top, err := changes.Output(ctx, dir, "rev-parse", "--show-toplevel"); err == nil && top != "" {
		return top
	}
	return dir
}

// identity returns a value that is the same for all names of a repository: for a local one the directory that its worktrees
// share.
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
