package ship

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// checkout changes the tree to a commit of the hub. First it parks the tree's files, unless the hub is known to have
// them. If the repository lacks objects, checkout asks the hub for all of them; if that does not help, the next
// request builds a new repository.
func (s *ship) checkout(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	err := s.arrive(ctx)
	if err == nil {
		upkeep(ctx, s.Repo)
		return nil
	}
	var failed *git.Error
	if s.spoken || !errors.As(err, &failed) || s.hear() != nil || s.whole(ctx) || ctx.Err() != nil {
		return err
	}
	if len(s.aim.Since) == 0 {
		if _, err := aside(s.Dir, ".git"); err != nil {
			return err
		}
	}
	return s.lacking(ctx, nil)
}

// upkeep runs git gc --auto in the background, without our lock. An error is ignored: the next checkout tries again.
// To start no git in vain, upkeep estimates the number of loose objects from one directory, as git itself does.
func upkeep(ctx context.Context, r git.Repo) {
	sample, _ := os.ReadDir(r.Path("objects", "17"))
	packs, _ := os.ReadDir(r.Path("objects", "pack"))
	if len(sample) < 6700/256 && len(packs) < 2*50 {
		return
	}
	r.Hold = nil
	_ = r.Set("gc.auto", "6700").Set("gc.autoDetach", "true").Set("gc.cruftPacks", "true").Set("gc.pruneExpire", "1.day.ago").
		Run(ctx, "gc", "--auto", "--quiet")
}

// whole reports whether the repository has all objects that HEAD, the base, the snapshot and the target reach.
func (s *ship) whole(ctx context.Context) bool {
	ids, err := present(ctx, s.Repo, "HEAD", git.ShipBase, git.ShipSnapshot, s.aim.Target)
	if err != nil {
		return false
	}
	return s.Run(ctx, append([]string{"rev-list", "--objects", "--quiet"}, ids...)...) == nil
}

func (s *ship) arrive(ctx context.Context) error {
	t, err := staging.PrivateTree(s.Repo, s.q.Limits, s.q.Format)
	if err != nil {
		return err
	}
	var sh shot
	if !s.q.Stay { // meanwhile the hub gathers the captain's edits
		if sh, err = s.capture(ctx, t); err != nil {
			return err
		}
	}
	if ok, err := s.take(ctx); err != nil {
		return err
	} else if !ok {
		return s.missing(ctx)
	}
	if s.q.Stay {
		return s.stay(ctx, t)
	}
	if err := s.forget(ctx); err != nil {
		return err
	}
	known, err := s.Resolve(ctx, s.aim.Target+"^{tree}", git.ShipBase+"^{tree}", staging.OrNothing(s.q.Home)+"^{tree}")
	if err != nil {
		return err
	}
	p := wire.Reply{Base: s.aim.Target, Left: sh.left}
	if !s.isAtTarget(ctx, sh, known[0]) {
		release, err := s.LockIndex(ctx)
		if err != nil {
			return err
		}
		defer release()
		if p, err = s.move(ctx, t, sh, known); err != nil {
			return err
		}
	}
	if err := s.around().note(ctx, s.aim.Target); err != nil {
		return err
	}
	return s.report(ctx, p)
}

// isAtTarget reports whether files, HEAD, branch, base and index are at the target already.
func (s *ship) isAtTarget(ctx context.Context, sh shot, target string) bool {
	return sh.tree == target && sh.head == s.aim.Target && sh.base == s.aim.Target && sh.branch == "refs/heads/"+s.q.Branch &&
		!slices.ContainsFunc(sh.left, staging.Left.Movable) && s.Operation() == "" &&
		s.Run(ctx, "diff-index", "--cached", "--quiet", "HEAD") == nil
}

// move parks the tree's files, unless the hub has them, and changes the tree to the target. The index must be locked.
func (s *ship) move(ctx context.Context, t staging.Tree, sh shot, known []string) (wire.Reply, error) {
	p := wire.Reply{Base: s.aim.Target, Left: sh.left}
	for range 3 { // the agent may still write files
		if !slices.Contains(known, sh.tree) && (sh.base != "" || !git.IsEmptyTree(sh.tree)) {
			if err := s.park(ctx, sh.commit); err != nil {
				return p, err
			}
			p.Fresh = true
		}
		place, err := s.clear(ctx, sh.left)
		if err != nil {
			return p, err
		}
		if place != "" {
			p.Aside = place
			if sh, err = s.capture(ctx, t); err != nil {
				return p, err
			}
		}
		if err = s.bring(ctx, t, sh.tree, s.aim.Target); err == nil {
			if err := staging.CopyFile(s.Path(staging.PrivateIndex), s.Path("index")); err != nil {
				return p, err
			}
			return p, s.settle(ctx, s.aim.Target, "")
		}
		before, failed := sh.tree, err
		if sh, err = s.capture(ctx, t); err != nil {
			return p, err
		}
		if sh.tree == before {
			return p, failed
		}
	}
	return p, errors.New("the tree keeps changing: stop what writes there and try again")
}

// park keeps a commit on a ref until forget deletes the ref.
func (s *ship) park(ctx context.Context, commit string) error {
	ref := git.ShipParked + time.Now().UTC().Format("20060102-150405.000000")
	return s.UpdateRefs(ctx, "update "+ref+" "+commit)
}

// clear moves files that can't be parked out of the tree, to .aside beside it.
func (s *ship) clear(ctx context.Context, lefts []staging.Left) (place string, err error) {
	for _, l := range lefts {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if !l.Movable() {
			continue
		}
		if place, err = aside(s.Dir, l.Path); err != nil {
			return "", fmt.Errorf("move %s out of the way: %w", git.PlainText(l.Path), err)
		}
	}
	return place, nil
}

// settle points HEAD, the tree's branch and ShipBase at commit. prior is the tree's own work before a merge with
// conflict markers, "" for none.
func (s *ship) settle(ctx context.Context, commit, prior string) error {
	branch := "refs/heads/" + s.q.Branch
	lines := []string{"update " + branch + " " + commit, "update " + git.ShipBase + " " + commit}
	if prior != "" {
		lines = append(lines, "update "+git.ShipPrior+" "+prior)
	} else {
		lines = append(lines, "delete "+git.ShipPrior)
	}
	lines = append(lines, "delete "+git.ShipTarget)
	if err := s.UpdateRefs(ctx, lines...); err != nil {
		return err
	}
	if now, err := s.Head(ctx); err != nil || now != branch {
		if err := s.Run(ctx, "symbolic-ref", "-m", "ocaptain", "HEAD", branch); err != nil {
			return err
		}
	}
	return s.EndOperation()
}

// forget deletes the parked refs whose commits the hub has.
func (s *ship) forget(ctx context.Context) error {
	if s.HasNoRefs(git.ShipParked) {
		return nil
	}
	kept, err := s.Output(ctx, "for-each-ref", "--format=%(objectname) %(refname)", git.ShipParked)
	if err != nil {
		return err
	}
	var drop []string
	for line := range strings.SplitSeq(kept, "\n") {
		if id, ref, ok := strings.Cut(line, " "); ok && slices.Contains(s.q.Parked, id) {
			drop = append(drop, "delete "+ref+" "+id)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	return s.UpdateRefs(ctx, drop...)
}

// report replies with the parked commits that the hub does not have.
func (s *ship) report(ctx context.Context, p wire.Reply) error {
	kept := ""
	if !s.HasNoRefs(git.ShipParked) {
		var err error
		if kept, err = s.Output(ctx, "for-each-ref", "--sort=refname", "--format=%(objectname)", git.ShipParked); err != nil {
			return err
		}
	}
	for id := range strings.SplitSeq(kept, "\n") {
		if git.IsObjectID(id) && !slices.Contains(s.q.Spare, id) && !slices.Contains(p.Parked, id) {
			p.Parked = append(p.Parked, id)
		}
	}
	if n := len(p.Parked) - wire.MaxListed; n > 0 {
		p.Parked = p.Parked[n:]
	}
	have, err := present(ctx, s.Repo, append(s.q.Have, s.aim.Target)...)
	if err != nil {
		return err
	}
	return s.answer(ctx, p, p.Parked, have)
}
