package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/workspace"
)

// How often a merge is tried again when the branch moved, and after how many lost races it may keep the others
// waiting.
const (
	mergeTries = 8
	freeTries  = 2
)

// Merge brings the work in a remote tree into the branch as one commit.
func (h *Hub) Merge(ctx context.Context, r sync.Remote, m sync.Merge) (sync.Merged, error) {
	done, err := branch.Persist(ctx, h.Branch, func() (sync.Merged, error) { return h.merge(ctx, r, m) })
	if err != nil {
		return sync.Merged{}, fmt.Errorf("merge %s: %w", git.PlainText(m.Name), err)
	}
	return done, nil
}

func (h *Hub) merge(ctx context.Context, r sync.Remote, m sync.Merge) (sync.Merged, error) {
	if err := h.checkMerge(m); err != nil {
		return sync.Merged{}, err
	}
	f, err := h.fetch(ctx, r, m.Name, m.Whole)
	if err != nil {
		return sync.Merged{}, err
	}
	if err := f.together(); err != nil {
		return sync.Merged{}, err
	}
	if err := f.mendable(h.opts.Limits); err != nil {
		return sync.Merged{}, err
	}
	rec := h.remote(m.Name)
	if h.opts.Shared {
		return h.mergeShared(ctx, m, rec)
	}
	if m.Keep != "" {
		if rec.kept, err = h.parked.Cleaned(ctx, f.seen.commit, rec.base); err != nil {
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
	p := piece{Merge: m, base: rec.from(f.seen.base), grown: f.seen.base, commit: f.seen.commit, trial: git.RefTrial + m.Name, rec: rec}
	if m.Onto != "" || m.Stacked {
		p.base = f.seen.base
	}
	a, err := h.home(ctx, p)
	if err == nil && len(a.Clashes) > 0 {
		err = h.mark(ctx, r, m, f, a)
	}
	if err != nil {
		return sync.Merged{}, err
	}
	return a.merged(f.Notes(h.opts.Limits)...), nil
}

// piece is work that is to be brought home.
type piece struct {
	sync.Merge
	base   string  // what the work is counted from
	grown  string  // what its tree grew from
	commit string  // all of it
	trial  string  // ref that keeps what comes of it while that is judged
	rec    *remote // of the tree that it comes from, nil for a commit of the hub's own
	shared bool    // it is the captain's tree as it is
}

// home brings a piece of work to where it was asked for. Clashes are returned with nothing changed.
func (h *Hub) home(ctx context.Context, p piece) (a attempt, err error) {
	switch {
	case p.Onto != "":
		a, err = h.onto(ctx, p)
	case p.Aside != "":
		a, err = h.aside(ctx, p)
	default:
		a, err = h.intoBranch(ctx, p)
	}
	if errors.Is(err, git.ErrMergeTooSlow) {
		err = h.tooSlow(ctx, p.base, p.commit)
	}
	return a, err
}

// intoBranch merges a piece into the branch, with a new try when the branch moves meanwhile.
func (h *Hub) intoBranch(ctx context.Context, p piece) (a attempt, err error) {
	c := race{apart: p.Check != nil || p.rec != nil && p.rec.slow}
	for try := range mergeTries {
		a, err = h.attempt(ctx, p, &c)
		var blocked *staging.InTheWay
		if !errors.Is(err, staging.ErrMoved) || errors.As(err, &blocked) && try > 0 { // a new one is gathered first
			break
		}
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

// merged is what the caller learns of it.
func (a attempt) merged(notes ...string) sync.Merged {
	return sync.Merged{Commit: a.commit, Changed: a.changed, Steering: a.steering, Notes: append(a.notes, notes...)}
}

// attempt merges a piece into the branch as it is now. Clashes are returned with nothing changed. The error is errMoved
// when the branch moved on before the merge was in.
func (h *Hub) attempt(ctx context.Context, p piece, c *race) (attempt, error) {
	if !c.apart {
		a, err := h.quick(ctx, p)
		if !errors.Is(err, git.ErrMergeTooSlow) {
			return a, err
		}
		c.apart = true
	}
	return h.raced(ctx, p, c)
}

// begin takes the merge lock and the captain's tree for an attempt that others do not notice, and gathers what the captain has changed.
func (h *Hub) begin(ctx context.Context, a *attempt) (w *workspace.Tree, release func(), err error) {
	if err := h.merging.lock(ctx); err != nil {
		return nil, nil, err
	}
	w, leave, err := h.Workspace.Take(ctx)
	if err != nil {
		h.merging.unlock()
		return nil, nil, err
	}
	release = func() { leave(); h.merging.unlock() }
	if a.head, a.notes, err = w.Gather(ctx); err != nil {
		release()
		return nil, nil, err
	}
	return w, release, nil
}

// quick is an attempt that has the merge lock from the start, as others don't notice it.
func (h *Hub) quick(ctx context.Context, p piece) (attempt, error) {
	a := attempt{base: p.base}
	w, release, err := h.begin(ctx, &a)
	if err != nil {
		return a, err
	}
	defer release()
	r := w.Repo
	r.MergeTime = min(r.MergeTime, quickMerge)
	if err := h.combine(ctx, r, p, &a); err != nil || len(a.Clashes) > 0 {
		return a, err
	}
	return a, finish(ctx, w, p, &a)
}

// finish moves the branch to the merge and records that the piece is home. Should a crash fall between the two, the
// branch was moved, and the same work is parked once more than needed.
func finish(ctx context.Context, w *workspace.Tree, p piece, a *attempt) error {
	var before, after []string
	if p.Keep != "" {
		before = append(before, "update "+p.Keep+" "+p.rec.kept)
	}
	if p.rec != nil {
		after = append(after, "update "+git.RefHome+p.Name+" "+p.commit)
		if p.rec.since != "" {
			after = append(after, "delete "+git.RefSince+p.Name)
		}
	}
	switch {
	case p.shared && a.commit != a.head:
		if err := w.Settle(ctx, a.head, a.commit, before, after); err != nil {
			return err
		}
	case a.commit != a.head:
		away, err := w.Advance(ctx, a.head, a.commit, before, after)
		if err != nil {
			return err
		}
		if away != "" && !slices.Contains(a.notes, away) {
			a.notes = append(a.notes, away)
		}
	case len(after) > 0:
		if err := w.UpdateRefs(ctx, append(before, after...)...); err != nil {
			return err
		}
	}
	if p.rec != nil {
		p.rec.home, p.rec.since = p.commit, ""
	}
	return nil
}

// combine makes the commit that a merge would add to the head that was gathered. Aside gets a commit even when
// nothing changed, since somebody is to look at it.
func (h *Hub) combine(ctx context.Context, r git.Repo, p piece, a *attempt) (err error) {
	work, left, err := h.except(ctx, r, a.base, p.commit, p.Except)
	if err != nil {
		return err
	}
	a.notes = append(a.notes, left...)
	if a.Merged, err = r.Merge(ctx, a.base, a.head, work); err != nil || len(a.Clashes) > 0 {
		return err
	}
	if a.Tree, err = h.withAdded(ctx, r, a.Tree, p.Add); err != nil {
		return err
	}
	all, err := r.Changes(ctx, a.head, a.Tree)
	if err != nil {
		return err
	}
	if a.commit, a.changed = a.head, len(all); a.changed == 0 && p.Aside == "" {
		return nil
	}
	if err := h.steered(ctx, r, p, a, all); err != nil {
		return err
	}
	if err := h.filters.Unfiltered(ctx, r, a.head, a.Tree, all); err != nil {
		return err
	}
	if h.folds {
		if err := collisions(ctx, r, a.head, a.Tree); err != nil {
			return err
		}
	}
	author, err := origin.ParsePerson(p.Author)
	if err != nil {
		return err
	}
	a.commit, err = r.With(git.IdentityEnv("AUTHOR", author.Name, author.Mail)...).WriteCommit(git.Commit{Tree: a.Tree, Parents: []string{a.head}, Message: message(p.Merge)})
	if err == nil {
		h.links.Remember(a.commit, a.links)
	}
	return err
}
