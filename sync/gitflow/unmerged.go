package gitflow

import (
	"context"
	"fmt"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// ahead counts the files of the newest snapshot that the branch lacks.
func (h *Hub) ahead(ctx context.Context, name string) (int, error) {
	rec := h.remote(name)
	from := countedFrom(rec.home, rec.base)
	if rec.seen.from == from {
		return rec.seen.ahead, nil
	}
	names, err := h.repo.Output(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", from, rec.live)
	if err != nil {
		return 0, err
	}
	rec.seen.from, rec.seen.ahead = from, strings.Count(names, "\x00")
	return rec.seen.ahead, nil
}

// countedFrom is the commit that unmerged work is counted from: the snapshot that was merged last, or else the commit of the
// branch that the tree was brought to.
func countedFrom(home, base string) string {
	if home != "" {
		return home
	}
	return base
}

// Unmerged names the two commits between which lies what the newest snapshot of a remote tree has and the branch lacks,
// in the clone at dir. They are the same when there is nothing, and "" when no snapshot was ever made.
func Unmerged(ctx context.Context, dir, name string) (from, live string, err error) {
	if !git.IsRemoteName(name) {
		return "", "", nil
	}
	metadata, err := git.MetadataDir(dir)
	if err != nil {
		return "", "", err
	}
	r := git.Repo{Dir: dir, GitDir: metadata}
	found, err := r.Resolve(ctx, git.RefLive+name+"^{commit}", git.RefHome+name+"^{commit}", git.RefBase+name+"^{commit}")
	if err != nil {
		return "", "", fmt.Errorf("unmerged work of %s: %w", git.PlainText(name), err)
	}
	if live, from = found[0], countedFrom(found[1], found[2]); from == "" || live == "" {
		return live, live, nil
	}
	files, err := r.Resolve(ctx, from+"^{tree}", live+"^{tree}")
	if err == nil && files[0] == files[1] {
		from = live
	}
	return from, live, err
}
