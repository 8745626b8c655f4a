package voyage

import (
	"context"
	"maps"
	"slices"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/livetree"
)

// FlushTree brings what all ships have into the tree that all share, and copies that for who clones.
func (v *Voyage) FlushTree(ctx context.Context) (api.Flushed, error) {
	return v.Tree.FlushAll(ctx, reads(v, func() []string { return slices.Sorted(maps.Keys(v.ships)) }))
}

// SettleTree settles files that ships and the tree that all share have both changed.
func (v *Voyage) SettleTree(ctx context.Context, in api.SettleRequest) (api.Settled, error) {
	w, err := v.Tree.BeginSettling(in)
	if err != nil {
		return api.Settled{Files: []string{}}, err
	}
	for _, name := range w.Ships() {
		s, err := v.ShipNamed(name)
		if err == nil {
			err = s.settle(ctx, w)
		}
		if err != nil {
			return w.Done(), err
		}
	}
	return w.Done(), nil
}

func (s *Ship) settle(ctx context.Context, w *livetree.Settling) error {
	if err := s.Lock(ctx); err != nil {
		return err
	}
	defer s.Busy.Unlock()
	return w.Settle(ctx, s.InTree())
}
