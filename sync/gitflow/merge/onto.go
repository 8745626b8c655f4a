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

// onto points a branch of its own at the work, as one commit on top of the commit at which the tree was checked out.
// The commit includes work that an earlier call merged: a call that is repeated because its answer was lost makes the
// same commit.
func (m *Merger) onto(ctx context.Context, p Work) (a Result, err error) {
	ref, err := m.Branch.OntoRef(p.Onto)
	if err != nil {
		return a, err
	}
	if _, err := m.ontoTip(ctx, ref, p.Merge); err != nil { // fail before the check, which may take long
		return a, err
	}
	if err := m.makeChecked(ctx, p, &a); err != nil {
		return a, err
	}
	return a, errors.Join(m.setOnto(ctx, ref, p, a.Commit), m.dropTrial(ctx, p))
}

// setOnto moves the branch ref to the commit, then records in RefHome that the work is merged. After a crash between
// the two steps, the same work is parked once more than needed. setOnto locks the captain's index, so that his git
// cannot check the branch out meanwhile.
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

// ontoTip returns the commit of the branch ref, "" when there is no such branch. It fails when the branch may not be
// moved: the captain has it checked out, or it holds commits of other work that no other ref has.
func (m *Merger) ontoTip(ctx context.Context, ref string, order sync.Merge) (string, error) {
	no := func(branch, dir, why string) error { // Paths is set: this hinders no other work
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
	head, err := m.Repo.Head(ctx) // for-each-ref does not list a checked-out branch that has no commit yet
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

// inTheWayOf returns a branch that git can't store beside ref, because one name is a directory of the other.
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

// isSpare reports whether ref may leave tip without loss: tip has the same trailers as this work, or another ref
// reaches it.
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
