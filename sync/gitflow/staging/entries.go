package staging

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// WithEntries returns the tree of a tree or commit with entries changed. The entries are in the format of git
// update-index. It uses a temporary index in a quarantine directory, which Hub.sweep removes after a crash.
func WithEntries(ctx context.Context, r git.Repo, tree, entries string) (string, error) {
	dir, err := os.MkdirTemp(r.Path("objects"), git.QuarantinePrefix)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	r = r.WithIndex(filepath.Join(dir, "index"))
	if err := r.Run(ctx, "read-tree", tree); err != nil {
		return "", err
	}
	if err := r.Stream(ctx, strings.NewReader(entries), nil, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return Tree{Repo: r, Oid: len(tree) / 2}.Write(ctx)
}

// WithChanges returns the tree of a commit after the changes of the given paths.
func WithChanges(ctx context.Context, r git.Repo, commit string, all map[string]git.Change, paths []string) (string, error) {
	var gone, there strings.Builder // removals come first: a file may replace a directory
	for _, path := range paths {
		if c := all[path]; c.After.Exists() {
			there.WriteString(c.After.Mode + " " + c.After.ID + "\t" + path + "\x00")
		} else {
			gone.WriteString("0 " + c.Before.ID + "\t" + path + "\x00")
		}
	}
	return WithEntries(ctx, r, commit, gone.String()+there.String())
}
