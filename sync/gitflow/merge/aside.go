package merge

import (
	"context"
	"errors"
	"fmt"

	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// aside makes the commit that a merge would make, and points the ref p.Aside at it in place of the branch. It takes
// no merge lock: if the branch moves meanwhile, Land later merges the commit with the new head.
//
// RefSince keeps the commit from which later work is counted: the branch lacks this work, so the next Merge has to
// bring it again. After a crash between the updates of RefSince and RefHome, work may be parked once more than
// needed.
func (m *Merger) aside(ctx context.Context, p Work) (a Result, err error) {
	if err := m.makeChecked(ctx, p, &a); err != nil || len(a.Clashes) > 0 {
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

// Forget deletes refs that Merge.Aside or Merge.Keep made.
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
