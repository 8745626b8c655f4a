package hub

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

// steering is what of a merge's changes steers agents, nil for nothing.
func (h *Hub) steering(ctx context.Context, r git.Repo, a *attempt, snapshot string, all map[string]git.Change) (*sync.Steering, error) {
	var err error
	if a.links, err = h.links.After(ctx, r, a.head, all); err != nil {
		return nil, err
	}
	paths := steer.Paths(slices.Collect(maps.Keys(all)), a.links)
	if len(paths) == 0 {
		return nil, nil
	}
	found, err := r.Resolve(ctx, snapshot+"^{tree}", a.base+"^{tree}")
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
	return &sync.Steering{Paths: paths, Base: a.base, Commit: snapshot, Work: hex.EncodeToString(work[:]), Files: sum}, nil
}

// steered finds which changes of a merge steer agents, and asks the caller to judge them. Refused work is kept, so that
// the captain can look at it.
func (h *Hub) steered(ctx context.Context, r git.Repo, p piece, a *attempt, all map[string]git.Change) (err error) {
	if a.steering, err = h.steering(ctx, r, a, p.commit, all); err != nil || a.steering == nil {
		return err
	}
	if p.Keep != "" {
		a.steering.Commit = p.rec.kept
	}
	if p.Steers == nil && p.Aside != "" {
		return nil
	}
	if p.Steers == nil {
		return &sync.Refused{Why: "nobody has said that files may be changed that steer agents", Paths: a.steering.Paths}
	}
	why := p.Steers(*a.steering)
	if why == nil || p.Keep == "" {
		return why
	}
	return errors.Join(why, h.repo.UpdateRefs(ctx, "update "+p.Keep+" "+p.rec.kept))
}
