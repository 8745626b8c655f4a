package hub

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// aside makes the commit that a merge would, and puts it on a ref instead of the branch. It takes no merge lock: if the
// branch moves meanwhile, landing the commit meets the new head.
//
// The commit from which later work is counted stays, though the work is home: the next Merge has to bring all of it
// again. After a crash between the two refs, work may be parked once more than needed.
func (h *Hub) aside(ctx context.Context, p piece) (a attempt, err error) {
	if err := h.judged(ctx, p, &a); err != nil || len(a.Clashes) > 0 {
		return a, err
	}
	lines := []string{"update " + p.Aside + " " + a.commit}
	if p.Keep != "" {
		lines = append(lines, "update "+p.Keep+" "+p.rec.kept)
	}
	since := ""
	if p.rec != nil {
		since = p.rec.from(p.grown)
		lines = append(lines, "update "+git.RefSince+p.Name+" "+since, "update "+git.RefHome+p.Name+" "+p.commit)
	}
	err = h.repo.UpdateRefs(ctx, lines...)
	if err == nil && p.rec != nil {
		p.rec.home, p.rec.since = p.commit, since
	}
	return a, errors.Join(err, h.dropTrial(ctx, p))
}

// Forget drops refs that Aside or Keep made.
func (h *Hub) Forget(ctx context.Context, refs ...string) error {
	var lines []string
	for _, ref := range staging.Distinct(refs...) {
		if err := checkRef(ref); err != nil {
			return fmt.Errorf("forget: %w", err)
		}
		lines = append(lines, "delete "+ref)
	}
	if len(lines) == 0 {
		return nil
	}
	_, err := branch.Persist(ctx, h.Branch, func() (struct{}, error) { return struct{}{}, h.repo.UpdateRefs(ctx, lines...) })
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return nil
}
