package branch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// History returns the commits of the branch, newest first, down to the commit at which it began, with the values of
// their trailers of these keys.
func (b *Branch) History(ctx context.Context, keys ...string) ([]sync.Commit, error) {
	head, err := b.Head(ctx)
	if err != nil {
		return nil, err
	}
	return b.HistoryOf(ctx, head, keys...)
}

// HistoryOf is History for the branch as it was when its head was commit.
func (b *Branch) HistoryOf(ctx context.Context, commit string, keys ...string) ([]sync.Commit, error) {
	revs := b.sinceStart(ctx, commit)
	all, err := b.commits(ctx, revs, keys)
	if start := strings.TrimPrefix(revs[len(revs)-1], "^"); len(revs) > 1 && !slices.ContainsFunc(all, func(c sync.Commit) bool { return c.ID == start }) {
		all = append(all, sync.Commit{ID: start})
	}
	return all, err
}

// Trailer returns the value of a commit's trailer, "" if it has none or several with this key.
func (b *Branch) Trailer(ctx context.Context, commit, key string) (string, error) {
	if err := b.Check(ctx, commit); err != nil {
		return "", err
	}
	all, err := b.commits(ctx, []string{"--no-walk", commit}, []string{key})
	if err != nil || len(all) == 0 {
		return "", err
	}
	return all[0].Values[key], nil
}

// Parent returns the first parent of a commit, from which the work in the commit is counted.
func (b *Branch) Parent(ctx context.Context, commit string) (string, error) {
	if err := b.Check(ctx, commit); err != nil {
		return "", err
	}
	found, err := b.repo.Resolve(ctx, commit+"^1")
	if err == nil && found[0] == "" {
		err = fmt.Errorf("commit %s: there is none before it that its work could be counted from: give one that has", commit)
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// Tree returns the tree id of a commit. Commits with the same files have the same tree.
func (b *Branch) Tree(ctx context.Context, commit string) (string, error) {
	if err := b.Check(ctx, commit); err != nil {
		return "", err
	}
	found, err := b.repo.Resolve(ctx, commit+"^{tree}")
	if err != nil {
		return "", err
	}
	return found[0], nil
}

// Check returns an error unless commit is the full id of a commit in the repository.
func (b *Branch) Check(ctx context.Context, commit string) error {
	if !git.IsObjectID(commit) {
		return fmt.Errorf("commit %q: give the whole name of a commit", git.PlainText(commit))
	}
	found, err := b.repo.Resolve(ctx, commit+"^{commit}")
	if err == nil && found[0] != commit {
		err = fmt.Errorf("commit %s: there is no such commit in %s", commit, b.repo.Dir)
	}
	return err
}

// Has reports whether a commit is in the repository.
func (b *Branch) Has(ctx context.Context, commit string) bool {
	return b.Check(ctx, commit) == nil
}

// HistoryUnder returns the newest commit of each branch below a folder such as dispatch, in the form of History, and
// the commits that origin.Fetch fetched.
func (b *Branch) HistoryUnder(ctx context.Context, folder string, keys ...string) ([]sync.Commit, error) {
	if _, err := b.OntoRef(folder); err != nil {
		return nil, err
	}
	var all []sync.Commit
	if !b.repo.HasNoRefs("refs/heads/" + folder + "/") { // without such branches git would list HEAD
		var err error
		if all, err = b.commits(ctx, []string{"--no-walk=unsorted", "--glob=refs/heads/" + folder + "/"}, keys); err != nil {
			return nil, err
		}
	}
	fetched, err := b.repo.Output(ctx, "for-each-ref", "--format=%(objectname)", git.RefFrom)
	if err != nil {
		return nil, err
	}
	for id := range strings.SplitSeq(fetched, "\n") {
		if git.IsObjectID(id) {
			all = append(all, sync.Commit{ID: id})
		}
	}
	return all, nil
}

// commits lists the commits of revisions, newest first.
func (b *Branch) commits(ctx context.Context, revs, keys []string) ([]sync.Commit, error) {
	format := "--format=%H%x1f%ae%x1f%s"
	for _, key := range keys {
		if err := CheckTrailer(key, "value"); err != nil {
			return nil, err
		}
		format += "%x1f%(trailers:key=" + key + ",valueonly,unfold,separator=%x1e)"
	}
	out, err := b.repo.Bytes(ctx, nil, append([]string{"log", "-z", format}, revs...)...)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	var all []sync.Commit
	for rec := range strings.SplitSeq(string(out), "\x00") {
		fields := strings.Split(strings.TrimSuffix(rec, "\n"), "\x1f")
		if len(fields) != len(keys)+3 || !git.IsObjectID(fields[0]) {
			continue // a message may contain separators
		}
		c := sync.Commit{ID: fields[0], Mail: fields[1], Subject: fields[2], Values: map[string]string{}}
		for i, key := range keys {
			if values := strings.Split(fields[i+3], "\x1e"); len(values) == 1 { // our own trailers occur once
				c.Values[key] = values[0]
			}
		}
		all = append(all, c)
	}
	return all, nil
}
