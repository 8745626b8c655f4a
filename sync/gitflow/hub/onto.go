package hub

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
func (h *Hub) onto(ctx context.Context, p piece) (a attempt, err error) {
	ref, err := h.OntoRef(p.Onto)
	if err != nil {
		return a, err
	}
	if _, err := h.ontoTip(ctx, ref, p.Merge); err != nil { // before a check that may take long
		return a, err
	}
	if err := h.judged(ctx, p, &a); err != nil {
		return a, err
	}
	return a, errors.Join(h.setOnto(ctx, ref, p, a.commit), h.dropTrial(ctx, p))
}

// setOnto moves the branch to the commit, and records that the snapshot is home. Should a crash fall between the two, the
// same work is parked once more than needed. The captain's index is locked, so that his git checks the branch out
// before or after that.
func (h *Hub) setOnto(ctx context.Context, ref string, p piece, commit string) error {
	w, release, err := h.Workspace.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	return w.Locked(ctx, func() error {
		tip, err := h.ontoTip(ctx, ref, p.Merge)
		if err != nil {
			return err
		}
		lines := []string{"create " + ref + " " + commit}
		if tip != "" {
			lines[0] = "update " + ref + " " + commit + " " + tip
		}
		if p.Keep != "" {
			lines = slices.Insert(lines, 0, "update "+p.Keep+" "+p.rec.kept)
		}
		if err := w.UpdateRefs(ctx, append(lines, "update "+git.RefHome+p.Name+" "+p.commit)...); err != nil {
			return err
		}
		p.rec.home = p.commit
		return nil
	})
}

// ontoTip returns what the branch is at, "" when there is none. It fails when the branch may not be moved: the captain has
// it checked out, or it holds something that nothing else keeps.
func (h *Hub) ontoTip(ctx context.Context, ref string, m sync.Merge) (string, error) {
	no := func(branch, dir, why string) error { // this work only
		return &sync.Hindered{Why: fmt.Sprintf("a branch in %s %s, then the work can come home", dir, why), Paths: []string{branch}}
	}
	other, err := h.inTheWayOf(ctx, ref)
	if err == nil && other != "" {
		err = no(other, h.repo.Dir, "keeps branch "+m.Onto+" from being made: rename it")
	}
	if err != nil {
		return "", err
	}
	const out = "is checked out: switch to another branch there"
	head, err := h.repo.Head(ctx) // of a branch that has no commit yet, only this tells
	if err != nil {
		return "", err
	}
	if head == ref {
		return "", no(m.Onto, h.repo.Dir, out)
	}
	at, err := h.repo.Output(ctx, "for-each-ref", "--format=%(objectname) %(worktreepath)", ref)
	if err != nil || at == "" {
		return "", err
	}
	tip, place, _ := strings.Cut(at, " ")
	if place != "" {
		return "", no(m.Onto, place, out)
	}
	spare, err := h.isSpare(ctx, ref, tip, m)
	if err == nil && !spare {
		err = no(m.Onto, h.repo.Dir, "holds other work: rename or delete it")
	}
	return tip, err
}

// inTheWayOf names a branch that git can't have together with the ref, as one is a directory to the other.
func (h *Hub) inTheWayOf(ctx context.Context, ref string) (string, error) {
	below, err := h.repo.Output(ctx, "for-each-ref", "--count=1", "--format=%(refname:lstrip=2)", ref+"/")
	if err != nil || below != "" {
		return below, err
	}
	for above := path.Dir(ref); above != "refs/heads"; above = path.Dir(above) {
		found, err := h.repo.Resolve(ctx, above)
		if err != nil || found[0] != "" {
			return strings.TrimPrefix(above, "refs/heads/"), err
		}
	}
	return "", nil
}

// isSpare tells whether nothing is lost when a ref leaves its commit: it is of the same work, or another ref has it.
func (h *Hub) isSpare(ctx context.Context, ref, tip string, m sync.Merge) (bool, error) {
	same := true
	for _, t := range m.Trailers {
		values, err := h.repo.Output(ctx, "log", "-1", "--format=%(trailers:key="+t[0]+",valueonly)", tip)
		if err != nil {
			return false, err
		}
		same = same && slices.Contains(strings.Split(values, "\n"), t[1])
	}
	if same {
		return true, nil
	}
	n, err := h.repo.Number(ctx, "rev-list", "--count", tip, "--not", "--exclude="+ref, "--all")
	return n == 0, err
}
