package merge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/steer"
)

// steering returns which of a merge's changes steer agents, nil if none does.
func (m *Merger) steering(ctx context.Context, r git.Repo, a *Result, snapshot string, all map[string]git.Change) (*sync.Steering, error) {
	var err error
	if a.links, err = m.links.After(ctx, r, a.Head, all); err != nil {
		return nil, err
	}
	paths := steer.Paths(slices.Collect(maps.Keys(all)), a.links)
	if len(paths) == 0 {
		return nil, nil
	}
	found, err := r.Resolve(ctx, snapshot+"^{tree}", a.Base+"^{tree}")
	if err != nil {
		return nil, err
	}
	files := sha256.New()
	for _, p := range paths {
		c := all[p]
		fmt.Fprintf(files, "%s %s %s\n", c.After.Mode, c.After.ID, strconv.Quote(p))
	}
	sum := hex.EncodeToString(files.Sum(nil))
	work := sha256.Sum256([]byte(found[1] + " " + found[0] + " " + sum))
	return &sync.Steering{Paths: paths, Base: a.Base, Commit: snapshot, Work: hex.EncodeToString(work[:]), Files: sum}, nil
}

// Steers lists the files that differ between from and commit and steer agents.
func (m *Merger) Steers(ctx context.Context, from, commit string) ([]string, error) {
	all, err := m.Repo.Changes(ctx, from, commit)
	if err != nil {
		return nil, err
	}
	links, err := m.links.After(ctx, m.Repo, from, all)
	if err != nil {
		return nil, err
	}
	return steer.Paths(slices.Collect(maps.Keys(all)), links), nil
}

// steered finds which changes of a merge steer agents, and has p.Steers judge them. If p.Steers refuses, p.Keep keeps
// the work, so that the captain can look at it.
func (m *Merger) steered(ctx context.Context, r git.Repo, p Work, a *Result, all map[string]git.Change) (err error) {
	if a.steering, err = m.steering(ctx, r, a, p.Commit, all); err != nil || a.steering == nil {
		return err
	}
	if p.Keep != "" {
		a.steering.Commit = p.Source.Kept
	}
	if p.Steers == nil && p.Aside != "" {
		return nil
	}
	if p.Steers == nil {
		return &sync.Refused{Why: "nobody has said that files may be changed that steer agents", Paths: a.steering.Paths}
	}
	why := p.Steers(*a.steering)
	if keep := p.kept(); why != nil && keep != nil {
		why = errors.Join(why, m.Repo.UpdateRefs(ctx, keep...))
	}
	return why
}
