package merge

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// onto brings a snapshot to a branch of its own, as one commit on top of the commit that the tree was brought to. It
// includes work that was given before: a call that is repeated because its answer was lost brings the same commit.
func (m *Merger) onto(ctx context.Context, p Work) (a Result, err error) {
	ref, err := m.Branch.OntoRef(p.Onto)
	if err != nil {
		return a, err
	}
	if _, err := m.ontoTip(ctx, ref, p.Merge); err != nil { // before a check that may take long
		return a, err
	}
	if err := m.judged(ctx, p, &a); err != nil {
		return a, err
	}
	return a, errors.Join(m.setOnto(ctx, ref, p, a.Commit), m.dropTrial(ctx, p))
}

// setOnto moves the branch to the commit, and records that the snapshot is home. Should a crash fall between the two, the
// same work is parked once more than needed. The captain's index is locked, so that his git checks the branch out
// before or after that.
func (m *Merger) setOnto(ctx context.Context, ref string, p Work, commit string) error {
	w, release, err := m.Workspace.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	return w.Locked(ctx, func() error {
		tip, err := m.ontoTip(ctx, ref, p.Merge)
		if err != nil {
			return err
		}
		move := "create " + ref + " " + commit
		if tip != "" {
			move = "update " + ref + " " + commit + " " + tip
		}
		if err := w.UpdateRefs(ctx, append(p.kept(), move, "update "+git.RefHome+p.Name+" "+p.Commit)...); err != nil {
			return err
		}
		p.Source.Home = p.Commit
		return nil
	})
}

// ontoTip returns what the branch is at, "" when there is none. It fails when the branch may not be moved: the captain has
// it checked out, or it holds something that nothing else keeps.
func (m *Merger) ontoTip(ctx context.Context, ref string, order sync.Merge) (string, error) {
	no := func(branch, dir, why string) error { // this work only
		return &sync.Hindered{Why: fmt.Sprintf("a branch in %s %s, then the work can come home", dir, why), Paths: []string{branch}}
	}
	other, err := m.inTheWayOf(ctx, ref)
	if err == nil && other != "" {
		err = no(other, m.Repo.Dir, "keeps branch "+order.Onto+" from being made: rename it")
	}
	if err != nil {
		return "", err
	}
	const out = "is checked out: switch to another branch there"
	head, err := m.Repo.Head(ctx) // of a branch that has no commit yet, only this tells
	if err != nil {
		return "", err
	}
	if head == ref {
		return "", no(order.Onto, m.Repo.Dir, out)
	}
	at, err := m.Repo.Output(ctx, "for-each-ref", "--format=%(objectname) %(worktreepath)", ref)
	if err != nil || at == "" {
		return "", err
	}
	tip, place, _ := strings.Cut(at, " ")
	if place != "" {
		return "", no(order.Onto, place, out)
	}
	spare, err := m.isSpare(ctx, ref, tip, order)
	if err == nil && !spare {
		err = no(order.Onto, m.Repo.Dir, "holds other work: rename or delete it")
	}
	return tip, err
}

// inTheWayOf names a branch that git can't have together with the ref, as one is a directory to the other.
func (m *Merger) inTheWayOf(ctx context.Context, ref string) (string, error) {
	below, err := m.Repo.Output(ctx, "for-each-ref", "--count=1", "--format=%(refname:lstrip=2)", ref+"/")
	if err != nil || below != "" {
		return below, err
	}
	for above := path.Dir(ref); above != "refs/heads"; above = path.Dir(above) {
		found, err := m.Repo.Resolve(ctx, above)
		if err != nil || found[0] != "" {
			return strings.TrimPrefix(above, "refs/heads/"), err
		}
	}
	return "", nil
}

// isSpare tells whether nothing is lost when a ref leaves its commit: it is of the same work, or another ref has it.
func (m *Merger) isSpare(ctx context.Context, ref, tip string, order sync.Merge) (bool, error) {
	same := true
	for _, t := range order.Trailers {
		values, err := m.Repo.Output(ctx, "log", "-1", "--format=%(trailers:key="+t[0]+",valueonly)", tip)
		if err != nil {
			return false, err
		}
		same = same && slices.Contains(strings.Split(values, "\n"), t[1])
	}
	if same {
		return true, nil
	}
	n, err := m.Repo.Number(ctx, "rev-list", "--count", tip, "--not", "--exclude="+ref, "--all")
	return n == 0, err
}
