// Package merge makes one commit of work and a branch, has it judged and checked, and brings it to the branch or another ref.
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

// How often a merge is tried again when the branch moved, and after how many lost races it may keep the others
// waiting.
const (
	mergeTries    = 8
	upstreamTries = 100 // where other hubs move the branch as well
	freeTries     = 2
)

// Merger is that of one branch.
type Merger struct {
	Parts
	merging *lock // one at a time brings something new to the branch
	links   git.LinkCache
	filters filters.Known
	landed  atomic.Uint64 // calls of Land
}

// Parts are what a Merger works with.
type Parts struct {
	Repo      git.Repo // as remotes' content is handled
	Branch    *branch.Branch
	Workspace *workspace.Workspace
	Intake    *intake.Intake
	Upkeep    *upkeep.Upkeep
	Upstream  *upstream.Upstream // where other clones bring their work to the same branch, nil for nowhere
	Folds     bool               // the captain's file system ignores case
}

// New returns the merger of a branch.
func New(parts Parts) *Merger { return &Merger{Parts: parts, merging: newLock()} }

// Source is a remote tree that work comes from, as far as a merge is concerned. Only one call at a time is made for it.
type Source struct {
	Home  string // snapshot that was merged since the last checkout, "" for none
	Since string // what is counted from in spite of Home, which the branch lacks
	Kept  string // what Merge.Keep keeps of the snapshot that is being merged
	Slow  bool   // git took long to merge what it gave last
}

// From is the commit that work which the branch lacks is counted from, in a tree that grew from base.
func (s *Source) From(base string) string {
	switch {
	case s.Home == "":
		return base
	case s.Since != "":
		return s.Since
	}
	return s.Home // merged before, and gone on from there
}

// Work is work that is to be brought home.
type Work struct {
	sync.Merge
	Base   string  // what the work is counted from
	Grown  string  // what its tree grew from
	Commit string  // all of it
	Source *Source // tree that it comes from, nil for a commit of the hub's own

	trial  string // ref that keeps what comes of it while that is judged
	shared bool   // it is the captain's tree as it is
}

// kept are the ref changes with which Keep keeps the work.
func (p Work) kept() []string {
	if p.Keep == "" {
		return nil
	}
	return []string{"update " + p.Keep + " " + p.Source.Kept}
}

// Bring brings work of a remote tree to where it was asked for. Clashes are returned with nothing changed.
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

// intoBranch merges work into the branch, with a new try when the branch moves meanwhile.
func (m *Merger) intoBranch(ctx context.Context, p Work) (a Result, err error) {
	c, tries := race{apart: p.Check != nil || p.Source != nil && p.Source.Slow}, mergeTries
	if m.Upstream != nil {
		c.apart, tries = true, upstreamTries
	}
	for try := range tries {
		a, err = m.attempt(ctx, p, &c)
		var blocked *staging.InTheWay
		if !errors.Is(err, staging.ErrMoved) || errors.As(err, &blocked) && try > 0 { // a new one is gathered first
			break
		}
	}
	return a, err
}

// Result is what comes of a try at a merge.
type Result struct {
	git.Merged
	Base   string // what the work is counted from
	Head   string // commit of the branch that it was merged with
	Commit string // that came of it, Head when nothing changed

	changed  int
	notes    []string
	steering *sync.Steering    // nil for nothing
	links    map[string]string // of the tree that came of it
}

// Outcome is what the caller learns of it.
func (a Result) Outcome(notes ...string) sync.Merged {
	return sync.Merged{Commit: a.Commit, Changed: a.changed, Steering: a.steering, Notes: append(a.notes, notes...)}
}

// attempt merges work into the branch as it is now. Clashes are returned with nothing changed. The error is staging.ErrMoved
// when the branch moved on before the merge was in.
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

// begin takes the merge lock and the captain's tree for an attempt that others do not notice, and gathers what the captain has changed.
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

// quick is an attempt that holds the merge lock from start to end: it is over before other merges notice.
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

// finish moves the branch to the merge and records that the work is home. Should a crash fall between the two, the
// branch was moved, and the same work is parked once more than needed.
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

// publish is finish where other clones bring work to the same branch. The push is what counts: it is accepted when others have pushed nothing
// meanwhile. The clone's own branch follows, now or when it is gathered next.
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
	ctx = context.WithoutCancel(ctx) // what came of it has to be known
	w, release, err := m.Workspace.Take(ctx)
	if err == nil {
		defer release()
		if err = m.still(ctx, w, *a); err == nil {
			err = finish(ctx, w, p, a)
		}
	}
	if err == nil || a.Commit == a.Head {
		return err
	}
	a.notes = append(a.notes, "it is on the branch of the repository that hubs share, and comes to "+m.Repo.Dir+" later: "+err.Error())
	return nil
}

// combine makes the commit that a merge would add to the head that was gathered. Aside gets a commit even when
// nothing changed, since somebody is to look at it.
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
