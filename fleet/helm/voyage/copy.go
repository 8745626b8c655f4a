package voyage

import (
	"context"
	"slices"
	gosync "sync"

	"ocaptain/fleet"
)

// BringHome brings home what ships have now, and returns the board of that moment. Without names these are all ships.
func (v *Voyage) BringHome(ctx context.Context, names []string) fleet.Board {
	ships := reads(v, func() (ships []*Ship) {
		for name, s := range v.ships {
			if len(names) == 0 || slices.Contains(names, name) {
				ships = append(ships, s)
			}
		}
		return ships
	})
	var all gosync.WaitGroup
	for _, s := range ships {
		all.Go(func() {
			if _, err := s.BringHome(ctx); err != nil {
				v.Log.Warn("bring home", "ship", s.Name, "error", err)
			}
		})
	}
	all.Wait()
	return v.Board()
}
