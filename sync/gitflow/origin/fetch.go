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

// ownBranches begins the names of branches that Merge.Onto makes.
const ownBranches = "dispatch/"

// Fetch brings into the clone at dir, which Prepare made, the commit that the source now has at from, and returns it. A ref of its own keeps the commit.
// From is a branch, a tag or the whole name of a commit; "" is the source's own head, or the clone's first commit while the source has none. A branch of
// the clone below dispatch/ is that branch, and the source is not asked.
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

// FetchBranch brings a branch of the source to a ref of the clone at dir, and returns the branch's commit, "" while the source has no such
// branch.
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

// FetchCommit brings a commit of the source, by its whole name, to a ref of the clone at dir.
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

// fetchTo brings what the source has at what, a commit or the whole name of a ref, to a ref of the clone.
func fetchTo(ctx context.Context, r git.Repo, source, what, ref string, opts Options) error {
	if _, err := r.RemoveAbandonedLocks([]string{r.Path(ref + ".lock")}); err != nil { // of a git that was killed
		return err
	}
	return transfer(ctx, r.Dir, nil, opts, "fetch", "-q", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--no-write-fetch-head",
		"--", source, "+"+what+":"+ref)
}

// beginning returns the commit that the clone began at, where the source has none yet.
func beginning(ctx context.Context, r git.Repo) (string, error) {
	found, err := r.Resolve(ctx, git.RefStart+"^{commit}")
	if err == nil && found[0] == "" {
		err = errors.New("neither the source nor the clone has a commit")
	}
	return found[0], err
}

// lookUp asks the source which commit a branch or tag is at, or its own head for "". That is "" where there is no commit at all.
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

// LookUp asks the source for the commit that from names, as for Fetch, and returns "" where the source has no commit at all. It takes the
// full name of a commit as it is.
func LookUp(ctx context.Context, source, from string, opts Options) (commit string, err error) {
	if git.IsObjectID(from) {
		return from, nil
	}
	if source, err = cleanSource(source); err != nil {
		return "", err
	}
	return lookUp(ctx, nowhere, source, from, opts)
}

// FindBranch asks the source for a branch and where it is. If the source lacks it, but has another branch that leaves no
// room for it, such as feat for feat/x, FindBranch returns that branch. Found is "" for neither.
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

// ListRefs returns the refs of the source that begin with a prefix, and the commit of each.
func ListRefs(ctx context.Context, dir, source, prefix string, opts Options) (map[string]string, error) {
	source, err := cleanSource(source)
	if err != nil {
		return nil, err
	}
	return listRefs(ctx, dir, source, opts, prefix+"*")
}

// listRefs returns the refs of the source that match the patterns, with what they are at.
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
