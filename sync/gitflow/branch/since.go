package branch

import (
	"context"
	"slices"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// Since returns what later commits of the branch, newest first, changed in the files of one of its commits.
// Change.Lines has each file where that later commit is the first one after which the change of the file can no
// longer be reverted without a conflict.
func (b *Branch) Since(ctx context.Context, commit string) (files []string, since []sync.Change, err error) {
	before, err := b.Parent(ctx, commit)
	if err != nil {
		return nil, nil, err
	}
	all, err := b.repo.Changes(ctx, before, commit)
	if err != nil {
		return nil, nil, err
	}
	for path := range all {
		files = append(files, path)
	}
	slices.Sort(files)
	head, err := b.Head(ctx)
	if err != nil {
		return nil, nil, err
	}
	text, err := b.repo.Output(ctx, "rev-list", "--first-parent", "--max-count=200", commit+".."+head)
	if err != nil {
		return nil, nil, err
	}
	clashed := map[string]bool{}
	for _, later := range slices.Backward(strings.Fields(text)) {
		c, err := b.since(ctx, commit, before, later, all, clashed)
		if err != nil {
			return nil, nil, err
		}
		if len(c.Files) > 0 {
			since = append(since, c)
		}
	}
	slices.Reverse(since)
	return files, since, nil
}

// since returns what one later commit did to the files of commit. It adds the files whose lines it changed to
// clashed.
func (b *Branch) since(ctx context.Context, commit, before, later string, files map[string]git.Change, clashed map[string]bool) (sync.Change, error) {
	c := sync.Change{Commit: later}
	changed, err := b.repo.Changes(ctx, later+"^1", later)
	if err != nil {
		return c, err
	}
	for path := range changed {
		if _, same := files[path]; same {
			c.Files = append(c.Files, path)
		}
	}
	slices.Sort(c.Files)
	if len(c.Files) == 0 {
		return c, nil
	}
	m, err := b.repo.Merge(ctx, commit, later, before)
	if err != nil {
		return c, err
	}
	for _, clash := range m.Clashes {
		if !clashed[clash.Path] && !slices.Contains(c.Lines, clash.Path) {
			c.Lines = append(c.Lines, clash.Path)
		}
	}
	for _, path := range c.Lines {
		clashed[path] = true
	}
	return c, nil
}
