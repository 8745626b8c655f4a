// Package merge merges work with a branch into one commit, has the commit judged and checked, and moves the branch or
// another ref to it.
package merge

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/filters"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/intake"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/upkeep"
	"ocaptain/sync/gitflow/upstream"
	"ocaptain/sync/gitflow/workspace"
)

// How often a merge is tried again when the branch moved meanwhile, and after how many lost races it may keep the
// merge lock during its check.
const (
	mergeTries    = 8
	upstreamTries = 100 // where other hubs move the branch as well
	freeTries     = 2
)

// Merger merges work into one branch.
type Merger struct {
	Parts
	merging *lock // a merge holds it to move the branch
	links   git.LinkCache
	filters filters.Known
	landed  atomic.Uint64 // number of landWork calls, for distinct trial refs
}

// Parts are what a Merger works with.
type Parts struct {
	Repo      git.Repo // hardened for content that remotes wrote
	Branch    *branch.Branch
	Workspace *workspace.Workspace
	Intake    *intake.Intake
	Upkeep    *upkeep.Upkeep
	Upstream  *upstream.Upstream // the shared repository to which other hubs push the same branch, nil if there is none
	Folds     bool               // the captain's file system ignores case
}

// New returns the merger of a branch.
func New(parts Parts) *Merger { return &Merger{Parts: parts, merging: newLock()} }

// Source is what a merge knows of the remote tree that the work comes from. Calls for one Source must not overlap.
type Source struct {
	Home  string // newest snapshot that was merged or put aside since the last checkout, "" for none
	Since string // if not "", later work is counted from this commit and not from Home: the work in Home is only aside, and the branch lacks it
	Kept  string // commit that the ref Merge.Keep gets for the snapshot that is being merged
	Slow  bool   // git took long to merge the last work of this tree
}

// From returns the commit from which to count the work that the branch lacks, for a tree that was checked out at
// base.
func (s *Source) From(base string) string {
	switch {
	case s.Home == "":
		return base
	case s.Since != "":
		return s.Since
	}
	return s.Home // this work was merged; the agent went on from there
}

// Work is work to merge.
type Work struct {
	sync.Merge
	Base   string  // what the work is counted from
	Grown  string  // commit at which its tree was checked out
	Commit string  // the whole work
	Source *Source // tree that the work comes from, nil for Land, Revert and Write

	trial  string // ref that keeps the merged commit alive while it is judged
	shared bool   // Commit is the captain's tree as it is, which all ships share
}

// kept returns the ref update that points p.Keep at the work, none without p.Keep.
func (p Work) kept() []string {
	if p.Keep == "" {
		return nil
	}
	return []string{"update " + p.Keep + " " + p.Source.Kept}
}

// Bring merges work of a remote tree into the branch, or to the ref that p.Onto or p.Aside names. If files clash, it
// changes nothing and returns the clashes.
func (m *Merger) Bring(ctx context.Context, p Work) (Result, error) {
	p.trial = git.RefTrial + p.Name
	return m.bring(ctx, p)
}

func (m *Merger) bring(ctx context.Context, p Work) (a Result, err error) {
	switch {
	case p.Onto != "":
		a, err = m.onto(ctx, p)
	case p.Aside != "":
		a, err = m.aside(ctx, p)
	default:
		a, err = m.intoBranch(ctx, p)
	}
	if errors.Is(err, git.ErrMergeTooSlow) {
		err = m.tooSlow(ctx, p.Base, p.Commit)
	}
	return a, err
}

// intoBranch merges work into the branch, and tries again when the branch moves meanwhile.
func (m *Merger) intoBranch(ctx context.Context, p Work) (a Result, err error) {
	c, tries := race{apart: p.Check != nil || p.Source != nil && p.Source.Slow}, mergeTries
	if m.Upstream != nil {
		c.apart, tries = true, upstreamTries
	}
	for try := range tries {
		a, err = m.attempt(ctx, p, &c)
		var blocked *staging.InTheWay
		if !errors.Is(err, staging.ErrMoved) || errors.As(err, &blocked) && try > 0 { // the next try first commits the captain's new files, so only a second such error ends the tries
			break
		}
	}
	return a, err
}

// Result is the result of one attempt at a merge.
type Result struct {
	git.Merged
	Base   string // commit from which the changes of the work are counted
	Head   string // commit of the branch with which the work was merged
	Commit string // the merge commit, or Head when the work changes nothing

	changed  int
	notes    []string
	steering *sync.Steering    // nil when no change steers agents
	links    map[string]string // symbolic links in the merged tree
}

// Outcome converts the result for callers outside this package, with notes added.
func (a Result) Outcome(notes ...string) sync.Merged {
	return sync.Merged{Commit: a.Commit, Changed: a.changed, Steering: a.steering, Notes: append(a.notes, notes...)}
}

// attempt merges work into the branch as it is now. If files clash, it changes nothing and returns the clashes. The
// error is staging.ErrMoved when the branch moved before the merge was done.
func (m *Merger) attempt(ctx context.Context, p Work, c *race) (Result, error) {
	if !c.apart {
		a, err := m.quick(ctx, p)
		if !errors.Is(err, git.ErrMergeTooSlow) {
			return a, err
		}
		c.apart = true
	}
	return m.raced(ctx, p, c)
}

// begin takes the merge lock and the captain's tree for a short attempt, and commits the captain's edits.
func (m *Merger) begin(ctx context.Context, a *Result) (w *workspace.Tree, release func(), err error) {
	if err := m.merging.lock(ctx); err != nil {
		return nil, nil, err
	}
	w, leave, err := m.Workspace.Take(ctx)
	if err != nil {
		m.merging.unlock()
		return nil, nil, err
	}
	release = func() { leave(); m.merging.unlock() }
	if a.Head, a.notes, err = w.Gather(ctx); err != nil {
		release()
		return nil, nil, err
	}
	return w, release, nil
}

// quick is an attempt that holds the merge lock from start to end. quickMerge bounds it, so other merges hardly wait.
func (m *Merger) quick(ctx context.Context, p Work) (Result, error) {
	a := Result{Base: p.Base}
	w, release, err := m.begin(ctx, &a)
	if err != nil {
		return a, err
	}
	defer release()
	r := w.Repo
	r.MergeTime = min(r.MergeTime, quickMerge)
	if err := m.combine(ctx, r, p, &a); err != nil || len(a.Clashes) > 0 {
		return a, err
	}
	return a, finish(ctx, w, p, &a)
}

// finish moves the branch to the merge commit, then records in RefHome that the work is merged. After a crash between
// the two steps, the same work is parked once more than needed.
func finish(ctx context.Context, w *workspace.Tree, p Work, a *Result) error {
	before, after := p.kept(), []string(nil)
	if p.Source != nil {
		after = append(after, "update "+git.RefHome+p.Name+" "+p.Commit)
		if p.Source.Since != "" {
			after = append(after, "delete "+git.RefSince+p.Name)
		}
	}
	switch {
	case p.shared && a.Commit != a.Head:
		if err := w.Settle(ctx, a.Head, a.Commit, before, after); err != nil {
			return err
		}
	case a.Commit != a.Head:
		away, err := w.Advance(ctx, a.Head, a.Commit, before, after)
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
	if p.Source != nil {
		p.Source.Home, p.Source.Since = p.Commit, ""
	}
	return nil
}

// publish is finish for a branch that several hubs share. The push decides: the shared repository accepts it only if
// no other hub has pushed meanwhile. This clone's branch follows at once, or with the next gather.
func (m *Merger) publish(ctx context.Context, p Work, a *Result) error {
	if a.Commit != a.Head {
		if p.Keep != "" {
			if err := m.Repo.UpdateRefs(ctx, p.kept()...); err != nil {
				return err
			}
		}
		if err := m.Upstream.Push(ctx, a.Commit); err != nil {
			return err
		}
	}
	ctx = context.WithoutCancel(ctx) // after the push, this hub must learn whether its own branch followed
	w, release, err := m.Workspace.Take(ctx)
	if err == nil {
		defer release()
		if err = m.checkUnmoved(ctx, w, *a); err == nil {
			err = finish(ctx, w, p, a)
		}
	}
	if err == nil || a.Commit == a.Head {
		return err
	}
	a.notes = append(a.notes, "it is on the branch of the repository that hubs share, and comes to "+m.Repo.Dir+" later: "+err.Error())
	return nil
}

// combine makes the merge commit on top of a.Head. With Aside it makes one even when nothing changed, so that a
// reviewer has a commit to look at.
func (m *Merger) combine(ctx context.Context, r git.Repo, p Work, a *Result) (err error) {
	work, left, err := except(ctx, r, a.Base, p.Commit, p.Except)
	if err != nil {
		return err
	}
	a.notes = append(a.notes, left...)
	if a.Merged, err = r.Merge(ctx, a.Base, a.Head, work); err != nil || len(a.Clashes) > 0 {
		return err
	}
	if a.Tree, err = m.withAdded(ctx, r, a.Tree, p.Add); err != nil {
		return err
	}
	all, err := r.Changes(ctx, a.Head, a.Tree)
	if err != nil {
		return err
	}
	if a.Commit, a.changed = a.Head, len(all); a.changed == 0 && p.Aside == "" {
		return nil
	}
	if err := m.steered(ctx, r, p, a, all); err != nil {
		return err
	}
	if err := m.filters.Unfiltered(ctx, r, a.Head, a.Tree, all); err != nil {
		return err
	}
	if m.Folds {
		if err := collisions(ctx, r, a.Head, a.Tree); err != nil {
			return err
		}
	}
	author, err := origin.ParsePerson(p.Author)
	if err != nil {
		return err
	}
	a.Commit, err = r.With(git.IdentityEnv("AUTHOR", author.Name, author.Mail)...).WriteCommit(git.Commit{Tree: a.Tree, Parents: []string{a.Head}, Message: message(p.Merge)})
	if err == nil {
		m.links.Remember(a.Commit, a.links)
	}
	return err
}
