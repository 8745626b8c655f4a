package merge

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
func (m *Merger) aside(ctx context.Context, p Work) (a Result, err error) {
	if err := m.judged(ctx, p, &a); err != nil || len(a.Clashes) > 0 {
		return a, err
	}
	lines := append(p.kept(), "update "+p.Aside+" "+a.Commit)
	since := ""
	if p.Source != nil {
		since = p.Source.From(p.Grown)
		lines = append(lines, "update "+git.RefSince+p.Name+" "+since, "update "+git.RefHome+p.Name+" "+p.Commit)
	}
	err = m.Repo.UpdateRefs(ctx, lines...)
	if err == nil && p.Source != nil {
		p.Source.Home, p.Source.Since = p.Commit, since
	}
	return a, errors.Join(err, m.dropTrial(ctx, p))
}

// Forget drops refs that Aside or Keep made.
func (m *Merger) Forget(ctx context.Context, refs ...string) error {
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
	_, err := branch.Persist(ctx, m.Branch, func() (struct{}, error) { return struct{}{}, m.Repo.UpdateRefs(ctx, lines...) })
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return nil
}
