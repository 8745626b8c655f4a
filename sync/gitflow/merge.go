package gitflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
)

// How often a merge is tried anew when the branch moved, and after how many lost races it may keep the others waiting.
const (
	mergeTries = 8
	freeTries  = 2
)

// Merge brings the work in a remote tree into the branch as one commit.
func (h *Hub) Merge(ctx context.Context, r sync.Remote, m sync.Merge) (sync.Merged, error) {
	done, err := persist(ctx, h, func() (sync.Merged, error) { return h.merge(ctx, r, m) })
	if err != nil {
		return sync.Merged{}, fmt.Errorf("merge %s: %w", git.PlainText(m.Name), err)
	}
	return done, nil
}

func (h *Hub) merge(ctx context.Context, r sync.Remote, m sync.Merge) (sync.Merged, error) {
	if err := checkMerge(m); err != nil {
		return sync.Merged{}, err
	}
	f, err := h.fetch(ctx, r, m.Name)
	if err != nil {
		return sync.Merged{}, err
	}
	if err := f.mendable(h.opts.Limits); err != nil {
		return sync.Merged{}, err
	}
	rec := h.remote(m.Name)
	if m.Keep != "" {
		if rec.kept, err = h.cleaned(ctx, f.seen.commit, rec.base); err != nil {
			return sync.Merged{}, err
		}
	}
	if rec.marked != "" {
		if err := h.untold(ctx, rec, f.seen); err != nil {
			return sync.Merged{}, err
		}
		if err := h.unmarked(ctx, f.seen); err != nil {
			return sync.Merged{}, err
		}
	}
	var a attempt
	if m.Onto != "" {
		a, err = h.onto(ctx, m, f)
	} else {
		a, err = h.intoBranch(ctx, r, m, f)
	}
	if err != nil {
		return sync.Merged{}, err
	}
	return sync.Merged{Commit: a.commit, Changed: a.changed, Steering: a.steering, Notes: append(a.notes, f.notes(h.opts.Limits)...)}, nil
}

// intoBranch merges a snapshot into the branch, with a new try when the branch moves meanwhile.
func (h *Hub) intoBranch(ctx context.Context, r sync.Remote, m sync.Merge, f fetched) (a attempt, err error) {
	rec := h.remote(m.Name)
	base := f.seen.base
	if rec.home != "" { // merged before, and gone on from there
		base = rec.home
	}
	c := race{apart: m.Check != nil || rec.slow}
	for try := range mergeTries {
		if a, err = h.attempt(ctx, m, base, f.seen.commit, &c); err == nil && len(a.Clashes) > 0 {
			return a, h.mark(ctx, r, m, f, a)
		}
		var blocked *inTheWay
		if !errors.Is(err, errMoved) || errors.As(err, &blocked) && try > 0 { // a new one is gathered first
			break
		}
	}
	if errors.Is(err, git.ErrMergeTooSlow) {
		err = h.tooSlow(ctx, base, f.seen.commit)
	}
	return a, err
}

// attempt is one try at a merge.
type attempt struct {
	git.Merged
	base    string // what the remote's work is counted from
	head    string // of the branch, that was merged with
	commit  string // that came of it, head when nothing changed
	changed int
	notes   []string

	steering *sync.Steering    // nil for nothing
	links    map[string]string // of the tree that came of it
}

// attempt merges a snapshot into the branch as it is now. Clashes are returned with nothing changed. The error is
// errMoved when the branch moved on before the merge was in.
func (h *Hub) attempt(ctx context.Context, m sync.Merge, base, snapshot string, c *race) (attempt, error) {
	if !c.apart {
		a, err := h.quick(ctx, m, base, snapshot)
		if !errors.Is(err, git.ErrMergeTooSlow) {
			return a, err
		}
		c.apart = true
	}
	return h.raced(ctx, m, base, snapshot, c)
}

// quick is an attempt that has the merge lock from the start, as others don't notice it.
func (h *Hub) quick(ctx context.Context, m sync.Merge, base, snapshot string) (attempt, error) {
	a := attempt{base: base}
	if err := h.merging.lock(ctx); err != nil {
		return a, err
	}
	defer h.merging.unlock()
	w, release, err := h.workspace(ctx)
	if err != nil {
		return a, err
	}
	defer release()
	if a.head, a.notes, err = w.gather(ctx); err != nil {
		return a, err
	}
	r := w.Repo
	r.MergeTime = min(r.MergeTime, quickMerge)
	if err := h.combine(ctx, r, m, snapshot, &a); err != nil || len(a.Clashes) > 0 {
		return a, err
	}
	return a, w.finish(ctx, m, snapshot, &a)
}

// finish moves the branch to the merge and records that the snapshot is home. Should a crash fall between the two, the
// branch was moved, and the same work is parked once more than needed.
func (w *workspace) finish(ctx context.Context, m sync.Merge, snapshot string, a *attempt) error {
	rec := w.h.remote(m.Name)
	after := []string{"update " + git.RefHome + m.Name + " " + snapshot}
	var before []string
	if m.Keep != "" {
		before = append(before, "update "+m.Keep+" "+rec.kept)
	}
	if a.commit == a.head {
		if err := w.UpdateRefs(ctx, append(before, after...)...); err != nil {
			return err
		}
	} else {
		away, err := w.advance(ctx, a.head, a.commit, before, after)
		if err != nil {
			return err
		}
		if away != "" && !slices.Contains(a.notes, away) {
			a.notes = append(a.notes, away)
		}
	}
	rec.home = snapshot
	return nil
}

// combine makes the commit that a merge would add to the head that was gathered.
func (h *Hub) combine(ctx context.Context, r git.Repo, m sync.Merge, snapshot string, a *attempt) (err error) {
	if a.Merged, err = r.Merge(ctx, a.base, a.head, snapshot); err != nil || len(a.Clashes) > 0 {
		return err
	}
	all, err := r.Changes(ctx, a.head, a.Tree)
	if err != nil {
		return err
	}
	if a.commit, a.changed = a.head, len(all); a.changed == 0 {
		return nil
	}
	if a.steering, err = h.steering(ctx, r, a, snapshot, all); err != nil {
		return err
	}
	if a.steering != nil && m.Keep != "" {
		a.steering.Commit = h.remote(m.Name).kept
	}
	if a.steering != nil && m.Steers != nil {
		if err := m.Steers(*a.steering); err != nil {
			return h.keepSteering(ctx, m, err)
		}
	}
	if h.folds {
		if err := collisions(ctx, r, a.head, a.Tree); err != nil {
			return err
		}
	}
	author, err := parsePerson(m.Author)
	if err != nil {
		return err
	}
	b, err := r.With(git.IdentityEnv("AUTHOR", author.name, author.mail)...).Bytes(ctx, strings.NewReader(message(m)), "commit-tree", a.Tree, "-p", a.head)
	if a.commit = strings.TrimSpace(string(b)); err == nil {
		h.links.Remember(a.commit, a.links)
	}
	return err
}
