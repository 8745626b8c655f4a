package voyage

import (
	"context"
	"maps"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/livetree"
)

// inTree is the ship as the tree knows it that all share.
func (s *Ship) inTree() livetree.Ship {
	return livetree.Ship{Ship: reads(s.v, func() fleet.Ship { return s.known.Ship }), Link: s.reach.Link()}
}

// leaveTree ends the ship's part of the tree, and tells what of its files has not come.
func (s *Ship) leaveTree(ctx context.Context, report func(api.Progress)) {
	missing := s.v.Tree.Leave(ctx, s.name)
	if len(missing) == 0 {
		return
	}
	text := strings.Join(missing, "; ")
	s.v.Notes.Add(fleet.Note{Ship: s.name, Text: text})
	report(api.Progress{Ship: s.name, Step: "sink", State: api.StepNote, Text: text})
}

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
	if err := s.lockTree(ctx); err != nil {
		return err
	}
	defer s.tree.Unlock()
	return w.Settle(ctx, s.inTree())
}
