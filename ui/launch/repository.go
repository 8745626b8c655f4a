package launch

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"

	"ocaptain/fleet/clean"
	"ocaptain/sync/gitflow"
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

// uncommitted reports whether tracked files of a repository are changed, and names one that is not tracked, "" for none.
func uncommitted(ctx context.Context, dir string) (changed bool, untracked string) {
	args := []string{"status", "--porcelain", "--untracked-files=normal"}
	if ignore, err := gitflow.CaptainIgnores(ctx, dir); err == nil && ignore != "" {
		args = append([]string{"-c", "core.excludesFile=" + ignore}, args...)
	}
	said, err := changes.Output(ctx, dir, args...)
	if err != nil {
		return false, ""
	}
	for line := range strings.Lines(said) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "?? "); !ok {
			changed = true
		} else if untracked == "" {
			untracked = name
		}
	}
	return changed, untracked
}

// tellUntracked has the order warn of files that agents do not get.
func (o *Order) tellUntracked(file string) {
	if file != "" {
		o.Borrowed = append(o.Borrowed, Defect{
			What: clean.Line(o.source + " has files that are not committed, like " + file + ", and agents do not get them"), Fix: "commit them if they are needed",
		})
	}
}
