package voyages

import (
	"context"
	"log/slog"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/helm/voyage"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/turn"
)

// New makes a set that has no voyage yet. Ships run program.
func New(ctx context.Context, hub fleet.Hub, program supervise.Binary, settings describe.Settings, notify func() ([]string, error), log *slog.Logger) (*Set, error) {
	h := &Set{
		bin: program, began: time.Now(), voyages: map[string]*voyage.Voyage{}, gates: map[string]turn.Turn{}, damaged: map[string]string{}, told: map[machines.ID]trouble{}, log: log,
		notify: notify, lateTries: lateTries,
	}
	var err error
	if h.Access, err = access.Open(hub, program, settings, proof, h.noteDestroyed); err != nil {
		return nil, err
	}
	h.ctx, h.stop = context.WithCancel(ctx)
	h.Watch(h.ctx, h.jobs.Go)
	h.Sweeper = h.newSweeper()
	h.common = voyage.Common{
		Access: h.Access, Log: log, Trees: h.newTrees(), Calls: h.callService(), Awake: h.clock.AwakeSince, Clock: h.clock.Calendar,
		Orphans: h.Sweeper.Names, Plan: h.planMachines, Sunk: func(v *voyage.Voyage) { h.jobs.Go(func() { h.forget(v) }) },
	}
	h.jobs.Go(func() { h.clock.Run(h.ctx) })
	return h, nil
}

// Begin takes up all that is on disk, in the background.
func (h *Set) Begin() {
	h.jobs.Go(func() {
		h.takeUp()
		if err := h.Machines.Resume(); err != nil {
			h.log.Error("machines that are to be destroyed", "error", err)
		}
		h.Sweeper.Look()
	})
	h.jobs.Go(h.callForInstall)
}
