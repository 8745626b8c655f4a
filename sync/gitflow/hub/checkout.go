package hub

import (
	"bufio"
	"context"
	"errors"
	"slices"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// Checkout checks out a commit in a remote tree, or for "" the head of the branch.
func (h *Hub) Checkout(ctx context.Context, r sync.Remote, name, commit string) (sync.Checkout, error) {
	return branch.Persist(ctx, h.Branch, func() (sync.Checkout, error) { return h.checkout(ctx, r, name, commit) })
}

func (h *Hub) checkout(ctx context.Context, r sync.Remote, name, commit string) (sync.Checkout, error) {
	if !git.IsRemoteName(name) {
		return sync.Checkout{}, errName
	}
	q, err := h.request(name)
	if err != nil {
		return sync.Checkout{}, err
	}
	var c sync.Checkout
	rec := h.remote(name)
	base := rec.base // the commit from which the tree's unmerged work started
	q.Have, q.Stay = staging.Distinct(rec.live, base), h.opts.Shared
	if q.Parked, err = h.parked.Newest(ctx, name); err != nil {
		return c, err
	}
	for id := range rec.spare {
		q.Spare = append(q.Spare, id)
	}
	keep, err := h.upkeep.KeepObjects(ctx) // the remote may send unmerged work
	if err != nil {
		return c, err
	}
	defer keep()
	found := make(chan struct{})
	var failed error
	go func() { // the remote examines its tree meanwhile
		defer close(found)
		c.Commit, c.Notes, failed = h.target(ctx, name, commit)
	}()
	to := func(ctx context.Context) (string, []string, error) {
		select {
		case <-found:
			return c.Commit, []string{c.Commit}, failed
		case <-ctx.Done():
			return "", nil, context.Cause(ctx)
		}
	}
	err = h.deliver(ctx, r, wire.VerbCheckout, q, to, staging.Distinct(base), func(ctx context.Context, p wire.Reply, in *bufio.Reader) error {
		return h.finishCheckout(ctx, name, base, q, p, in, &c)
	})
	if <-found; failed != nil {
		return sync.Checkout{}, failed
	}
	var refused *unwanted
	if errors.As(err, &refused) {
		c.Notes = append(c.Notes, "leftovers in the tree of "+name+" could not be brought home and stay there: "+git.PlainText(refused.Error()))
		err = nil
	}
	return c, err
}

// target returns the commit to check out in a tree. A commit that the caller asked for may be on no branch, so target
// first points a ref at it. After a crash the next hub reads the ref, and accepts that commit as the base of the
// tree.
func (h *Hub) target(ctx context.Context, name, commit string) (string, []string, error) {
	if commit == "" {
		return h.gatherIfFree(ctx)
	}
	err := h.Check(ctx, commit)
	rec := h.remote(name)
	if err != nil || commit == rec.base || commit == rec.target {
		return commit, nil, err
	}
	err = h.repo.UpdateRefs(ctx, "update "+git.RefTarget+name+" "+commit)
	if err == nil {
		rec.target = commit
	}
	return commit, nil, err
}

// gatherIfFree is GatherUnlessKept, except that while something hinders the commit of the captain's edits, it returns
// the branch's head without them.
func (h *Hub) gatherIfFree(ctx context.Context) (string, []string, error) {
	head, notes, err := h.GatherUnlessKept(ctx)
	var hindrance *sync.Hindered
	if h.Upstream == nil && !git.Killed(err) && errors.As(h.Hindered(err), &hindrance) { // with an Upstream, this clone's branch may lack merges of other hubs
		notes = append(notes, "the captain's edits are not brought along for now: "+hindrance.Why)
		head, err = h.Head(ctx)
	}
	return head, notes, err
}

// finishCheckout records that c.Commit is checked out in the remote tree, and receives the unmerged work that the tree had.
// That work started from base, if base is not "".
func (h *Hub) finishCheckout(ctx context.Context, name, base string, q wire.Request, p wire.Reply, in *bufio.Reader, c *sync.Checkout) error {
	if p.Base != c.Commit {
		return errors.New("by its reply, the tree is not where it should be")
	}
	live := "update " + git.RefLive + name + " " + p.Base
	var now []string
	if !p.Pack {
		now = append(now, live) // if unmerged work comes, RefLive keeps the old snapshot until the work has arrived
	}
	if err := h.setBase(ctx, name, p.Base, "", now...); err != nil {
		return err
	}
	if p.Aside != "" {
		c.Notes = append(c.Notes, "what can't travel was moved out of the tree of "+name+" to "+p.Aside)
	}
	c.Notes = append(c.Notes, p.Notes(h.opts.Limits)...)
	rec := h.remote(name)
	if !p.Pack {
		rec.live = p.Base
		return nil
	}
	if err := h.parked.Room(ctx, name, len(p.Parked)); err != nil {
		return &unwanted{err}
	}
	if _, err := h.intake.Receive(ctx, in, p.Parked, staging.Distinct(slices.Concat(q.Have, []string{c.Commit})...), staging.First([]string{base}, []string{c.Commit})); err != nil {
		if ctx.Err() != nil {
			return err
		}
		var fault *git.Error
		var refused *sync.Refused
		if errors.As(err, &fault) || errors.As(err, &refused) {
			for _, id := range p.Parked {
				rec.spare[id] = true
			}
		}
		return &unwanted{err}
	}
	refs, err := h.parked.Keep(ctx, name, p.Parked, live)
	if err != nil {
		return err
	}
	if p.Fresh && len(refs) > 0 {
		c.Parked = refs[len(refs)-1]
	}
	rec.live = p.Base
	return nil
}

// unwanted is the reason why the hub refused unmerged work that a checkout found.
type unwanted struct{ error }

func (u *unwanted) Unwrap() error { return u.error }
