package origin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ocaptain/sync/bounded"
	"ocaptain/sync/gitflow/git"
)

// ownBranches begins the names of the branches that dispatches make with Merge.Onto.
const ownBranches = "dispatch/"

// Fetch fetches the commit that from names at the source into the clone at dir, which Prepare made, and returns it. A
// ref under RefFrom keeps the commit. from is a branch, a tag or a full commit id; "" means the source's HEAD, or the
// clone's first commit if the source has no commit. If from is a branch of the clone below dispatch/, Fetch returns
// its commit and does not ask the source.
//
// Only the transfer itself runs with the captain's own git settings and credentials.
func Fetch(ctx context.Context, dir, source, from string, opts Options) (commit string, err error) {
	r, err := git.Open(dir)
	if err == nil {
		r.Patience = git.HubLockAge
		commit, err = fetchFrom(ctx, r, source, from, opts)
	}
	if err != nil {
		return "", fmt.Errorf("fetch: %w", err)
	}
	return commit, nil
}

func fetchFrom(ctx context.Context, r git.Repo, source, from string, opts Options) (string, error) {
	if strings.HasPrefix(from, ownBranches) && git.IsBranchName(from) {
		found, err := r.Resolve(ctx, "refs/heads/"+from+"^{commit}")
		if err != nil {
			return "", err
		}
		if found[0] != "" {
			return found[0], r.UpdateRefs(ctx, "update "+git.RefFrom+found[0]+" "+found[0])
		}
	}
	source, err := cleanSource(source)
	if err != nil {
		return "", err
	}
	commit := from
	if !git.IsObjectID(from) {
		if commit, err = lookUp(ctx, r.Dir, source, from, opts); err != nil {
			return "", err
		}
	}
	if commit == "" {
		return beginning(ctx, r)
	}
	ref := git.RefFrom + commit
	err = fetchTo(ctx, r, source, commit, ref, opts)
	if err != nil && commit == from {
		err = fmt.Errorf("start %s: the source has no such commit, or does not give it away: name a branch, a tag or the whole name of another commit: %w", from, err)
	}
	if err != nil {
		return "", err
	}
	found, err := r.Resolve(ctx, ref+"^{commit}")
	if err == nil && found[0] != commit {
		err = errors.Join(fmt.Errorf("start %q: not a commit: name a branch, a tag or the whole name of a commit", git.PlainText(from)),
			r.UpdateRefs(ctx, "delete "+ref))
	}
	return commit, err
}

// FetchBranch fetches a branch of the source, points a ref of the clone at dir at it, and returns its commit, ""
// while the source has no such branch.
func FetchBranch(ctx context.Context, dir, source, branch, ref string, opts Options) (string, error) {
	if !git.IsBranchName(branch) {
		return "", BadBranch(branch)
	}
	r, source, err := openBoth(dir, source)
	if err != nil {
		return "", err
	}
	r.Patience = git.HubLockAge
	if err := fetchTo(ctx, r, source, refHeads+branch, ref, opts); err != nil {
		has, no := listRefs(ctx, dir, source, opts, refHeads+branch)
		if no == nil && has[refHeads+branch] == "" {
			return "", nil
		}
		return "", fmt.Errorf("fetch %s of %s: %w", branch, git.PlainText(source), err)
	}
	found, err := r.Resolve(ctx, ref+"^{commit}")
	return found[0], err
}

// FetchCommit fetches a commit of the source by its full id, and points a ref of the clone at dir at it.
func FetchCommit(ctx context.Context, dir, source, commit, ref string, opts Options) error {
	if !git.IsObjectID(commit) {
		return fmt.Errorf("commit %q: give the whole name of a commit", git.PlainText(commit))
	}
	r, source, err := openBoth(dir, source)
	if err != nil {
		return err
	}
	r.Patience = git.HubLockAge
	if err := fetchTo(ctx, r, source, commit, ref, opts); err != nil {
		return fmt.Errorf("fetch %.12s of %s: %w", commit, git.PlainText(source), err)
	}
	return nil
}

// fetchTo fetches what, a commit id or a full ref of the source, and points a ref of the clone at it.
func fetchTo(ctx context.Context, r git.Repo, source, what, ref string, opts Options) error {
	if _, err := r.RemoveAbandonedLocks([]string{r.Path(ref + ".lock")}); err != nil { // left by a killed git
		return err
	}
	return transfer(ctx, r.Dir, nil, opts, "fetch", "-q", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--no-write-fetch-head",
		"--", source, "+"+what+":"+ref)
}

// beginning returns the clone's first commit, for a source that has no commit yet.
func beginning(ctx context.Context, r git.Repo) (string, error) {
	found, err := r.Resolve(ctx, git.RefStart+"^{commit}")
	if err == nil && found[0] == "" {
		err = errors.New("neither the source nor the clone has a commit")
	}
	return found[0], err
}

// lookUp asks the source for the commit of a branch or tag, or of its HEAD for "". It returns "" if from is "" and
// the source has no commit at all.
func lookUp(ctx context.Context, dir, source, from string, opts Options) (string, error) {
	if strings.HasPrefix(from, "-") || strings.ContainsAny(from, " \t\n\x00") {
		return "", fmt.Errorf("start %q: not a branch, a tag or a commit", git.PlainText(from))
	}
	names := []string{"HEAD"}
	if from != "" {
		names = []string{refHeads + from, "refs/tags/" + from + "^{}", "refs/tags/" + from}
	}
	all, err := listRefs(ctx, dir, source, opts, names...)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if all[name] != "" {
			return all[name], nil
		}
	}
	if all, err = listRefs(ctx, dir, source, opts, "refs/heads/*", "refs/tags/*"); err != nil {
		return "", err
	}
	switch {
	case len(all) == 0 && from == "":
		return "", nil
	case len(all) == 0:
		return "", fmt.Errorf("%s has no commit yet: make one there first", git.PlainText(source))
	case from == "":
		return "", fmt.Errorf("the head of %s leads to no commit: name a branch, a tag or the whole name of a commit", git.PlainText(source))
	}
	return "", fmt.Errorf("start %q: the source has no such branch or tag: name one that it has, or the whole name of a commit", git.PlainText(from))
}

// LookUp asks the source for the commit that from names, as for Fetch. It returns a full commit id as it is, and ""
// if from is "" and the source has no commit at all.
func LookUp(ctx context.Context, source, from string, opts Options) (commit string, err error) {
	if git.IsObjectID(from) {
		return from, nil
	}
	if source, err = cleanSource(source); err != nil {
		return "", err
	}
	return lookUp(ctx, nowhere, source, from, opts)
}

// FindBranch asks the source for a branch and its commit. If the source lacks the branch, but has a branch whose name
// rules it out, as feat rules out feat/x, found is that other branch. found is "" if the source has neither.
func FindBranch(ctx context.Context, source, branch string, opts Options) (found, commit string, err error) {
	if source, err = cleanSource(source); err != nil {
		return "", "", err
	}
	ref := refHeads + branch
	patterns := []string{ref, ref + "/*"}
	for i := range branch {
		if branch[i] == '/' {
			patterns = append(patterns, refHeads+branch[:i])
		}
	}
	all, err := listRefs(ctx, nowhere, source, opts, patterns...)
	if err != nil {
		return "", "", err
	}
	if all[ref] != "" {
		return branch, all[ref], nil
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, ref+"/") || strings.HasPrefix(ref, name+"/") {
			return strings.TrimPrefix(name, refHeads), all[name], nil
		}
	}
	return "", "", nil
}

const (
	refHeads = "refs/heads/"
	nowhere  = "/" // a directory that is in no repository
)

// ListRefs returns the refs of the source that begin with prefix, each with its commit.
func ListRefs(ctx context.Context, dir, source, prefix string, opts Options) (map[string]string, error) {
	source, err := cleanSource(source)
	if err != nil {
		return nil, err
	}
	return listRefs(ctx, dir, source, opts, prefix+"*")
}

// listRefs returns the refs of the source that match the patterns, each with its object id.
func listRefs(ctx context.Context, dir, source string, opts Options, patterns ...string) (map[string]string, error) {
	out := bounded.Refuse(git.MaxOutput)
	err := transfer(ctx, dir, out, opts, append([]string{"ls-remote", "-q", "--", source}, patterns...)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: check the address, and that git can reach it with your credentials", git.PlainText(source), err)
	}
	all := map[string]string{}
	for line := range strings.Lines(out.String()) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			all[name] = id
		}
	}
	return all, nil
}
