package repository

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/link"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/words"
)

// fetching is the time limit of fetching the base.
var fetching = time.Hour

const (
	localBranches  = "refs/heads/"
	remoteBranches = "refs/remotes/"
	shortCommit    = 12
)

// Begin determines the commit at which work on the captain's own checkout begins. named is what the captain says, "" for the
// branch that is checked out. It returns a note about its choice when the captain may mean something else. It calls say, which may be nil, with
// what takes long.
func (w *Work) Begin(ctx context.Context, named string, say func(string)) ([]problem.Defect, *problem.Problem) {
	switch {
	case w.Repo.Kind == tasks.RepoFresh && w.Fetch == FetchFlag:
		return nil, problem.New(problem.Usage, problem.Base, "leave --fetch out", "--fetch: a fresh repository has no remote")
	case w.Repo.Kind != tasks.RepoPath: // for a URL, work begins at the newest commit
		return nil, nil
	}
	c := checkout{ctx, w.Source}
	branch := named
	if named == "" {
		branch, _ = c.git("symbolic-ref", "--quiet", "--short", "HEAD") // fails when no branch is checked out
	}
	if w.Fetch != "" {
		return w.beginNewest(c, branch, say)
	}
	return w.beginHere(c, branch, named)
}

// beginHere finds the commit that the checkout has.
func (w *Work) beginHere(c checkout, branch, named string) (notes []problem.Defect, p *problem.Problem) {
	tell := func(fix, format string, args ...any) {
		notes = append(notes, problem.Defect{What: clean.Line(w.Source + ": " + fmt.Sprintf(format, args...)), Fix: fix})
	}
	if branch == "" {
		if commit, err := c.commit("HEAD"); err == nil {
			tell("to begin at a branch: check it out", "no branch is checked out, and work begins at commit %.*s", shortCommit, commit)
		}
		return notes, nil
	}
	ref := localBranches + branch
	if named != "" {
		if ref, w.Base = c.find(named); w.Base == "" {
			return nil, problem.New(problem.Usage, problem.Base, "see: git -C "+quoted(w.Source)+" branch --all; for a branch that was not fetched yet: --fetch", "%s has no branch, tag or commit %q", clean.Line(w.Source), clean.Line(named))
		}
	}
	if theirs, ok := strings.CutPrefix(ref, remoteBranches); ok && theirs != named {
		tell("to begin at the newest: --fetch", "no branch here is called %s, and work begins at %s as it was fetched last, %.*s", branch, theirs, shortCommit, w.Base)
	}
	if upstream, behind := c.behind(ref); behind > 0 {
		tell("to begin at the newest: --fetch", "work begins at %s, which lacks %s of %s", branch, words.Counted(behind, "commit"), upstream)
	}
	return notes, nil
}

// beginNewest finds the commit of a branch at its remote, and begins there. The commit is fetched when the workspace is made, from the
// remote's address: no fetch runs in the captain's repository, as its configuration may name programs. branch is "" when none is checked out.
func (w *Work) beginNewest(c checkout, branch string, say func(string)) ([]problem.Defect, *problem.Problem) {
	name := clean.Line(w.Source)
	remote, theirs, p := c.upstream(branch)
	if p != nil {
		p.Err = fmt.Errorf("%s: %s %w", w.Fetch, name, p.Err)
		return nil, p
	}
	at, without := clean.Line(remote+"/"+theirs), "or leave "+w.Fetch+" out to begin at what is here"
	repo, err := c.address(remote)
	if err != nil {
		return nil, problem.New(problem.Usage, problem.Base, "see: git -C "+quoted(w.Source)+" remote get-url "+quoted(remote)+", and give it another address, "+without, "%s: remote %s of %s: %w", w.Fetch, clean.Line(remote), name, err)
	}
	w.remote = repo.Source(c.dir, "")
	if say != nil {
		say("looking up " + at)
	}
	limit, cancel := context.WithTimeout(c.ctx, reaching)
	defer cancel()
	found, commit, err := origin.FindBranch(limit, w.remote, theirs, w.transfers())
	switch {
	case err != nil && limit.Err() != nil:
		return nil, problem.New(problem.Failed, problem.Base, "check the network and the remote, "+without, "%s: %s cannot be looked up: no answer within %s", w.Fetch, at, reaching)
	case err != nil:
		words, fix := unreachable(repo, w.Token, err.Error())
		return nil, problem.New(problem.Failed, problem.Base, cmp.Or(fix, "see: git -C / ls-remote "+quoted(w.remote))+", "+without, "%s: %s cannot be looked up: %s%w", w.Fetch, at, words, err)
	case found != theirs:
		return nil, problem.New(problem.Usage, problem.Base, "see: git -C / ls-remote --heads "+quoted(w.remote)+", "+without, "%s: remote %s of %s has no branch %q", w.Fetch, clean.Line(remote), name, clean.Line(theirs))
	}
	if w.Base = commit; say != nil {
		say(fmt.Sprintf("work begins at %s, %.*s", at, shortCommit, w.Base))
	}
	return w.tellAhead(c, branch, remote+"/"+theirs), nil
}

// tellAhead notes commits that a branch has and the remote's branch lacks, as far as that is known without a fetch.
func (w *Work) tellAhead(c checkout, branch, theirs string) []problem.Defect {
	base := w.Base
	if _, err := c.commit(base); err != nil {
		base = remoteBranches + theirs // in its last fetched state
	}
	ahead, err := c.git("rev-list", "--count", base+".."+localBranches+branch, "--")
	if err != nil || ahead == "0" {
		return nil
	}
	return []problem.Defect{{What: clean.Line(w.Source + ": " + branch + " has commits that " + theirs + " lacks, and agents do not get them"), Fix: "push them first, or leave " + w.Fetch + " out to begin at what is here"}}
}

// transfers returns the options for finding and fetching commits of the repository.
func (w *Work) transfers() origin.Options {
	return origin.Options{Token: w.Token, Remote: w.remote, Silent: w.remote != ""}
}

// limit limits the time of a fetch from the remote.
func (w *Work) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.remote == "" {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, fetching, fmt.Errorf("%s: it was not over after %s: check the network and the remote, or leave %[1]s out to begin at what is here", w.Fetch, fetching))
}

// Prepare makes the clone at dir with a branch, and returns the commit at which the branch begins.
func (w *Work) Prepare(ctx context.Context, dir, branch string) (string, error) {
	ctx, cancel := w.limit(ctx)
	defer cancel()
	opts := w.transfers()
	opts.From = w.Base
	return origin.Prepare(ctx, dir, w.Source, branch, opts)
}

// FetchInto fetches the base of a dispatch into the clone at dir, and returns the commit.
func (w *Work) FetchInto(ctx context.Context, dir, from string) (string, error) {
	ctx, cancel := w.limit(ctx)
	defer cancel()
	return origin.Fetch(ctx, dir, cmp.Or(w.remote, w.Source), from, w.transfers())
}

// quoted returns a text as one word of a command that the captain may paste, as names of remotes come from the
// repository.
func quoted(text string) string { return link.Quote(clean.Line(text)) }

// checkout is the captain's own repository on this machine.
type checkout struct {
	ctx context.Context
	dir string
}

func (c checkout) git(args ...string) (string, error) { return changes.Output(c.ctx, c.dir, args...) }

func (c checkout) commit(name string) (string, error) {
	return c.git("rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
}

// remotes lists the repository's remotes, origin first.
func (c checkout) remotes() []string {
	said, _ := c.git("remote")
	all := strings.Fields(said)
	if i := slices.Index(all, "origin"); i > 0 {
		all = slices.Insert(slices.Delete(all, i, i+1), 0, "origin")
	}
	return all
}

// address returns the repository that a remote stands for. It takes only the address: programs that the configuration names for the
// remote do not run, and an address that would run one is refused.
func (c checkout) address(remote string) (tasks.Repo, error) {
	said, err := c.git("remote", "get-url", "--", remote)
	if err == nil && said == "" {
		err = errors.New("it has no address")
	}
	if err != nil {
		return tasks.Repo{}, err
	}
	if before, _, _ := strings.Cut(said, "/"); !strings.Contains(before, ":") && !filepath.IsAbs(said) { // a path, which git resolves from the top
		said = filepath.Join(c.dir, said)
	}
	return tasks.ParseRepo(said)
}

// find returns the commit that a name stands for, "" for none, and the ref with the commit, if one is known.
func (c checkout) find(name string) (ref, commit string) {
	refs := []string{localBranches + name, "refs/tags/" + name, name}
	for _, r := range c.remotes() {
		refs = append(refs, remoteBranches+r+"/"+name)
	}
	for _, ref := range refs {
		if commit, err := c.commit(ref); err == nil {
			return ref, commit
		}
	}
	return "", ""
}

// behind returns the upstream of a local branch, and how many of its commits the branch lacks.
func (c checkout) behind(ref string) (upstream string, n int) {
	said, err := c.git("for-each-ref", "--format=%(upstream:short) %(upstream)", ref)
	short, whole, _ := strings.Cut(said, " ")
	if err != nil || whole == "" {
		return "", 0
	}
	if said, err = c.git("rev-list", "--count", ref+".."+whole, "--"); err == nil {
		_, _ = fmt.Sscan(said, &n)
	}
	return short, n
}

// upstream returns the remote of a branch, and the branch's name there. The text of the problem follows the name of the
// repository.
func (c checkout) upstream(branch string) (remote, theirs string, p *problem.Problem) {
	all, at := c.remotes(), "git -C "+quoted(c.dir)
	if len(all) == 0 {
		return "", "", problem.New(problem.Usage, problem.Base, "name one: "+at+" remote add origin URL", "has no remote")
	}
	if branch == "" {
		return "", "", problem.New(problem.Usage, problem.Base, "check a branch out", "has no branch checked out")
	}
	said, err := c.git("for-each-ref", "--format=%(refname)%00%(upstream:remotename)%00%(upstream:remoteref)", localBranches+branch)
	if err == nil && said != "" {
		f := strings.Split(said, "\x00")
		if theirs, ok := strings.CutPrefix(f[2], localBranches); ok && slices.Contains(all, f[1]) {
			return f[1], theirs, nil
		}
		name := clean.Line(branch)
		return "", "", problem.New(problem.Usage, problem.Base, "name it: "+at+" branch --set-upstream-to="+clean.Line(all[0])+"/"+name+" "+name, "has no remote branch that %s follows", name)
	}
	if _, err := c.commit("refs/tags/" + branch); err == nil || !origin.IsBranch(branch) {
		return "", "", problem.New(problem.Usage, problem.Base, "name a branch, or leave --fetch out", "has %s as a tag or a commit, and only a branch has something newer", clean.Line(branch))
	}
	for _, r := range all {
		if theirs, ok := strings.CutPrefix(branch, r+"/"); ok {
			return r, theirs, nil
		}
	}
	for _, r := range all {
		if _, err := c.commit(remoteBranches + r + "/" + branch); err == nil {
			return r, branch, nil
		}
	}
	return all[0], branch, nil
}
