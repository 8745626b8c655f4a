package helm

import (
	"context"
	"errors"
	"fmt"
	"os"
	gosync "sync"
	"time"

	"ocaptain/fleet"
)

// remove destroys one ship. Its work is copied home first, if it can be reached, and
// its task becomes pending.
func (v *voyage) remove(ctx context.Context, name string, report func(Progress)) error {
	v.busy.Lock()
	defer v.busy.Unlock()
	return v.removeShip(context.WithoutCancel(ctx), name, report, true)
}

// replace gives a ship a new machine. Work that was not merged stays on the hub.
func (v *voyage) replace(ctx context.Context, name string, report func(Progress)) error {
	v.busy.Lock()
	defer v.busy.Unlock()
	ctx = context.WithoutCancel(ctx)
	if err := v.removeShip(ctx, name, report, false); err != nil {
		return err
	}
	if err := v.change(func(f *fleet.Fleet) {
		s := f.Ship(name)
		*s = fleet.Ship{
			Name: s.Name, Number: s.Number, Role: s.Role, Agent: s.Agent, Provider: s.Provider,
			Built: s.Built + 1, Phase: fleet.Planned, Created: time.Now(),
		}
	}); err != nil {
		return err
	}
	return v.fitAll(ctx, report)
}

// sink destroys all ships of the voyage. It goes on when the caller leaves.
func (v *voyage) sink(_ context.Context, report func(Progress)) error {
	v.busy.Lock()
	defer v.busy.Unlock()
	return v.sinkAll(v.ctx, report)
}

// sinkAll destroys all ships, trying for as long as it takes: nothing that costs is
// forgotten.
func (v *voyage) sinkAll(ctx context.Context, report func(Progress)) error {
	if err := v.change(func(f *fleet.Fleet) { f.Phase = fleet.Sinking }); err != nil {
		return err
	}
	for pause := time.Second; ; pause = min(time.Minute, 2*pause) {
		v.mu.Lock()
		var names []string
		for _, s := range v.fleet.Ships {
			names = append(names, s.Name)
		}
		v.mu.Unlock()
		if len(names) == 0 {
			break
		}
		var all gosync.WaitGroup
		for _, name := range names {
			all.Go(func() {
				if err := v.removeShip(ctx, name, report, true); err != nil {
					report(Progress{Ship: name, Step: "sink", State: Fail, Text: err.Error()})
				}
			})
		}
		all.Wait()
		v.mu.Lock()
		left := len(v.fleet.Ships)
		v.mu.Unlock()
		if left == 0 {
			break
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
	if err := os.Remove(v.dir.Secrets()); err != nil && !os.IsNotExist(err) {
		return err
	}
	return v.change(func(f *fleet.Fleet) { f.Phase = fleet.Sunk })
}

// removeShip destroys a ship's machine, and takes the ship off the list if it is to go for good.
func (v *voyage) removeShip(ctx context.Context, name string, report func(Progress), forget bool) error {
	v.mu.Lock()
	f, s := v.fleet.Ship(name), v.ships[name]
	v.mu.Unlock()
	if f == nil {
		return &answerError{fmt.Sprintf("voyage %s has no %s", v.dir.ID(), name), ErrNotFound}
	}
	report(Progress{Ship: name, Step: "sink", State: Start})
	began := time.Now()
	if s != nil {
		s.bringHome(ctx)
		s.close()
	}
	if err := v.change(func(*fleet.Fleet) { f.Phase = fleet.Going }); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	err := v.helm.providers[f.Provider].Destroy(limit, f.MachineName(v.dir.ID()))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	v.reclaim(name, name+" was removed")
	report(Progress{Ship: name, Step: "sink", State: Ended, Took: time.Since(began)})
	return v.change(func(all *fleet.Fleet) {
		delete(v.ships, name)
		if !forget {
			return
		}
		kept := all.Ships[:0]
		for _, s := range all.Ships {
			if s.Name != name {
				kept = append(kept, s)
			}
		}
		all.Ships = kept
	})
}

// bringHome copies the ship's unmerged work to the hub one last time.
func (s *ship) bringHome(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if s.tree.lock(ctx) != nil {
		return
	}
	defer s.tree.unlock()
	s.v.mu.Lock()
	up := s.known.Connected
	s.v.mu.Unlock()
	if !up {
		return
	}
	_, err := s.v.work.Snapshot(ctx, s, s.name)
	if err != nil && !errors.Is(err, context.Canceled) {
		s.v.note(fleet.Note{Ship: s.name, Text: "its last unmerged work could not be copied: " + err.Error()})
	}
}
