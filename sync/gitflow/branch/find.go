package branch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
)

// Find returns the newest commit of the branch with a trailer.
func (b *Branch) Find(ctx context.Context, key, value string) (string, error) {
	if _, err := b.Head(ctx); err != nil {
		return "", b.explain(ctx, err)
	}
	return b.FindOn(ctx, b.Ref(), key, value)
}

// FindOn returns the newest commit with a trailer that a ref or commit reaches and that is newer than the beginning
// of the branch.
func (b *Branch) FindOn(ctx context.Context, ref, key, value string) (string, error) {
	if err := CheckTrailer(key, value); err != nil {
		return "", err
	}
	args := append([]string{
		"log", "-z", "--fixed-strings", "--grep=" + key + ": " + value,
		"--format=%H%n%(trailers:key=" + key + ",valueonly)",
	}, b.sinceStart(ctx, ref)...)
	out, err := b.repo.Bytes(ctx, nil, args...)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", key, b.explain(ctx, err))
	}
	for rec := range strings.SplitSeq(string(out), "\x00") {
		id, values, _ := strings.Cut(rec, "\n")
		for v := range strings.SplitSeq(values, "\n") {
			if v == value && git.IsObjectID(id) {
				return id, nil
			}
		}
	}
	return "", nil
}

// FindOnto is Find on a branch that Merge.Onto named. It returns "" if there is no such branch.
func (b *Branch) FindOnto(ctx context.Context, branch, key, value string) (string, error) {
	ref, err := b.OntoRef(branch)
	if err != nil {
		return "", err
	}
	found, err := b.repo.Resolve(ctx, ref+"^{commit}")
	if err != nil || found[0] == "" {
		return "", err
	}
	return b.FindOn(ctx, found[0], key, value)
}

// sinceStart returns revision arguments for the commits of ref since the branch began.
func (b *Branch) sinceStart(ctx context.Context, ref string) []string {
	if found, err := b.repo.Resolve(ctx, git.RefStart+"^{commit}"); err == nil && found[0] != "" {
		return []string{ref, "^" + found[0]}
	}
	return []string{ref}
}

// OntoRef returns the full ref of a branch for one piece of work alone.
func (b *Branch) OntoRef(branch string) (string, error) {
	if !git.IsBranchName(branch) {
		return "", origin.BadBranch(branch)
	}
	if branch == b.name {
		return "", fmt.Errorf("branch %s is that of all work: name another one", branch)
	}
	return "refs/heads/" + branch, nil
}

// Dropped returns the values for which no commit of the branch has a trailer "key: value" any more, although the
// given commit had one: the branch was reset or rewritten.
func (b *Branch) Dropped(ctx context.Context, key string, commits map[string]string) ([]string, error) {
	named, err := b.named(ctx, key, b.sinceStart(ctx, b.Ref())...)
	if err != nil {
		return nil, err
	}
	var dropped []string
	for value, commit := range commits {
		if slices.Contains(named, value) || !git.IsObjectID(commit) {
			continue
		}
		had, err := b.named(ctx, key, "--no-walk", commit)
		if git.Unanswered(ctx, err) {
			return nil, err
		}
		if err != nil || slices.Contains(had, value) { // an error: the commit no longer exists
			dropped = append(dropped, value)
		}
	}
	slices.Sort(dropped)
	return dropped, nil
}

// named lists the values of the trailers with a key in the commits of revs.
func (b *Branch) named(ctx context.Context, key string, revs ...string) ([]string, error) {
	text, err := b.repo.Output(ctx, append([]string{"log", "--format=%(trailers:key=" + key + ",valueonly)"}, revs...)...)
	if err != nil {
		return nil, fmt.Errorf("trailers %s: %w", key, err)
	}
	return strings.Split(text, "\n"), nil
}

// nearest is how many first-parent ancestors Holds compares before it starts a git that searches.
const nearest = 8

// Holds reports whether ancestor is commit or an ancestor of it.
func (b *Branch) Holds(ctx context.Context, commit, ancestor string) (bool, error) {
	near := make([]string, nearest)
	for i := range near {
		near[i] = fmt.Sprintf("%s~%d", commit, i)
	}
	if found, err := b.repo.Resolve(ctx, near...); err == nil && ancestor != "" && slices.Contains(found, ancestor) {
		return true, nil // the usual case
	}
	err := b.repo.Run(ctx, "merge-base", "--is-ancestor", ancestor, commit)
	if git.ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// CheckTrailer returns an error unless git would read the trailer back unchanged, as one line.
func CheckTrailer(key, value string) error {
	for _, c := range []byte(key) {
		if !git.IsWord(c) || c == '_' {
			return fmt.Errorf("trailer %q: use letters, digits and dashes", git.PlainText(key))
		}
	}
	if key == "" || value == "" || strings.TrimSpace(value) != value || strings.ContainsFunc(value, unicode.IsControl) {
		return fmt.Errorf("trailer %q: needs a key and one line of text", git.PlainText(key))
	}
	return nil
}
