// Package park keeps unmerged work of remotes, each piece on a ref of its own, until the captain deletes the ref.
package park

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// Park keeps unmerged work in one repository.
type Park struct {
	repo   git.Repo
	branch string                   // ref of the branch into which work is merged
	clean  func(text string) string // removes secrets from commit messages, may be nil
}

// New returns the Park of a repository. clean, which may be nil, removes secrets from the messages of kept commits.
func New(repo git.Repo, branch string, clean func(text string) string) *Park {
	return &Park{repo, branch, clean}
}

// Most bounds the parked commits of a remote: too many refs make git slow.
const Most = 1000

// of lists at most most parked commits of a remote with their refs, newest first.
func (p *Park) of(ctx context.Context, name string, most int) (commits, refs []string, err error) {
	if p.repo.HasNoRefs(git.RefParked + name + "/") {
		return nil, nil, nil
	}
	all, err := p.repo.Output(ctx, "for-each-ref", "--sort=-refname", fmt.Sprintf("--count=%d", most), "--format=%(objectname) %(refname)", git.RefParked+name+"/")
	for line := range strings.SplitSeq(all, "\n") {
		if commit, ref, ok := strings.Cut(line, " "); ok {
			commits, refs = append(commits, commit), append(refs, ref)
		}
	}
	return commits, refs, err
}

// Newest lists the newest parked commits of a remote.
func (p *Park) Newest(ctx context.Context, name string) ([]string, error) {
	commits, _, err := p.of(ctx, name, 64)
	return commits, err
}

// Room returns an error if parking more further commits of a remote would exceed Most.
func (p *Park) Room(ctx context.Context, name string, more int) error {
	commits, _, err := p.of(ctx, name, Most)
	if err == nil && len(commits)+more > Most {
		err = fmt.Errorf("the hub keeps %d leftovers of it and takes no more: delete some of %s%s/ in the voyage's workspace", Most, git.RefParked, name)
	}
	return err
}

// Keep parks commits of a remote, and returns the ref of each. A commit that is parked already keeps its ref. lines
// are further ref updates for the same transaction.
func (p *Park) Keep(ctx context.Context, name string, commits []string, lines ...string) ([]string, error) {
	known, at, err := p.of(ctx, name, Most)
	if err != nil {
		return nil, err
	}
	refs := make([]string, len(commits))
	for i, commit := range commits {
		if j := slices.Index(known, commit); j >= 0 {
			refs[i] = at[j]
			continue
		}
		refs[i] = git.ParkedRef(name, commit)
		lines = append(lines, "update "+refs[i]+" "+commit)
	}
	if len(lines) == 0 {
		return refs, nil
	}
	return refs, p.repo.UpdateRefs(ctx, lines...)
}

// IsKept reports whether refs of the repository keep a commit and everything that it reaches.
func (p *Park) IsKept(ctx context.Context, commit string) (bool, error) {
	found, err := p.repo.Resolve(ctx, commit+"^{commit}")
	if err != nil || found[0] == "" {
		return false, err
	}
	n, err := p.repo.Number(ctx, "rev-list", "--count", commit, "--not", "--all")
	var lacking *git.Error
	if errors.As(err, &lacking) {
		return false, nil // the repository lacks something that the commit reaches
	}
	return n == 0, err
}
