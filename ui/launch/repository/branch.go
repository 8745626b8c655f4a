package repository

import (
	"context"

	"ocaptain/fleet/clean"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/launch/problem"
)

// BeginBranch finds the commit at which a session's branch begins, and returns an error when the branch cannot begin there. It calls say, which may be
// nil, with what takes long.
func (w *Work) BeginBranch(ctx context.Context, branch string, say func(string)) (notes []problem.Defect, err error) {
	switch w.Repo.Kind {
	case tasks.RepoFresh:
		if w.Base != "" {
			return nil, problem.New(problem.Usage, problem.Base, "leave --base out", "a fresh repository has no branch, tag or commit %q", clean.Line(w.Base))
		}
		if _, p := w.Begin(ctx, "", say); p != nil {
			return nil, p
		}
		return nil, nil
	case tasks.RepoPath:
		changed := Uncommitted(ctx, w.Source)
		if changed.Tracked { // agents get only committed files
			return nil, problem.New(problem.Refused, problem.Repo, "commit or stash them first", "%s has changes that are not committed, and agents would not get them", clean.Line(w.Source))
		}
		notes = changed.Notes()
	}
	more, p := w.Begin(ctx, w.Base, say)
	if notes = append(notes, more...); p != nil {
		return notes, p
	}
	return notes, w.settle(ctx, branch)
}

// settle finds the commit that the base stands for, and returns an error when a branch of the repository is in the way.
func (w *Work) settle(ctx context.Context, branch string) error {
	ctx, cancel := context.WithTimeout(ctx, reaching)
	defer cancel()
	opts := origin.Options{Token: w.Token}
	base, err := origin.LookUp(ctx, w.Source, w.Base, opts)
	if err != nil {
		return problem.New(problem.Usage, problem.Base, "name one with --base", "base: %w", err)
	}
	found, commit, err := origin.FindBranch(ctx, w.Source, branch, opts)
	w.Base = base
	switch another, name := "for another branch: --branch NAME", clean.Line(w.Repo.String()); {
	case err != nil:
		return problem.New(problem.Failed, problem.Repo, "", "branch: %w", err)
	case found == "" || found == branch && (commit == base || w.holds(ctx, commit)):
		return nil
	case found == branch && w.remote != "" && !w.has(ctx, base):
		return problem.New(problem.Refused, problem.Branch, another+"\nto have that looked up: git -C "+clean.Line(w.Source)+" fetch", "%s has a branch %s already, and lacks the commit to begin at, %.*s, which may have all of its commits", name, found, shortCommit, base)
	case found == branch:
		return problem.New(problem.Refused, problem.Branch, "to go on with it: --base "+found+"\n"+another, "%s has a branch %s already, with commits of its own", name, found)
	default:
		return problem.New(problem.Refused, problem.Branch, another, "%s has a branch %s, and so can have none called %s", name, clean.Line(found), branch)
	}
}

// has reports whether the local repository has a commit.
func (w *Work) has(ctx context.Context, commit string) bool {
	_, err := checkout{ctx, w.Source}.commit(commit)
	return err == nil
}

// holds reports whether the base is known to have that commit in its history.
func (w *Work) holds(ctx context.Context, commit string) bool {
	_, err := changes.Output(ctx, w.Source, "merge-base", "--is-ancestor", commit, w.Base)
	return w.Repo.Kind == tasks.RepoPath && err == nil
}
