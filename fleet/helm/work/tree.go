package work

import (
	"context"
	"slices"
	gosync "sync"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/livetree"
	"ocaptain/fleet/helm/ship"
)

// FlushTree synchronizes all ships with the shared tree, and makes a commit of the tree for people who clone the
// repository.
func (w *Work) FlushTree(ctx context.Context) (api.Flushed, error) {
	var names []string
	for _, s := range w.Claims.Ships() {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return w.Tree.FlushAll(ctx, names)
}

// SettleTree resolves conflicts between files of ships and the shared tree.
func (w *Work) SettleTree(ctx context.Context, in api.SettleRequest) (api.Settled, error) {
	t, err := w.Tree.BeginSettling(in)
	if err != nil {
		return api.Settled{Files: []string{}}, err
	}
	for _, name := range t.Ships() {
		s := w.Claims.Ship(name)
		if s == nil {
			return t.Done(), api.Refused("%s has no machine now", name)
		}
		if err := settle(ctx, s, t); err != nil {
			return t.Done(), err
		}
	}
	return t.Done(), nil
}

func settle(ctx context.Context, s *ship.Ship, t *livetree.Settling) error {
	if err := s.Lock(ctx); err != nil {
		return err
	}
	defer s.Busy.Unlock()
	return t.Settle(ctx, s.InTree())
}

// BringHome copies the current work of ships to the hub: of the named ships, or of all if names is empty.
func (w *Work) BringHome(ctx context.Context, names []string) {
	var all gosync.WaitGroup
	for _, s := range w.Claims.Ships() {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			continue
		}
		all.Go(func() {
			if _, err := s.BringHome(ctx); err != nil {
				w.Log.Warn("bring home", "ship", s.Name, "error", err)
			}
		})
	}
	all.Wait()
}
