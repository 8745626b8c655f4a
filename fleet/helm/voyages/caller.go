package voyages

import (
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/keeper"
	"ocaptain/fleet/helm/notify"
	"ocaptain/fleet/retry"
)

// callService returns the notify.Service that runs the captain's command.
func (h *Set) callService() *notify.Service {
	return notify.NewService(notify.Service{
		Home: h.Hub.Home, Config: h.Hub.ConfigFile(), Command: func() ([]string, error) { return h.notify() }, Began: h.began, Awake: h.clock.AwakeSince, Log: h.log,
	})
}

// callForInstall announces the needs of this install, which belong to no voyage.
func (h *Set) callForInstall() {
	c := h.common.Calls.NewCaller("", filepath.Join(h.Hub.State, "told.json"), h.tellAll)
	h.jobs.Go(func() { c.Run(h.ctx) })
	for ; h.ctx.Err() == nil; _ = retry.Sleep(h.ctx, keeper.Repaint) {
		c.Show(h.ownBoard())
	}
}

// ownBoard has the facts of this install. They are on each voyage's board as well, and the callers of voyages leave them to that of the install.
func (h *Set) ownBoard() *fleet.Board {
	b := &fleet.Board{Orphans: h.Sweeper.Names()}
	for _, v := range h.all() {
		if is := v.Hinders.Disk(); !is.IsNone() && (b.Disk.IsNone() || is.Since.Before(b.Disk.Since)) {
			b.Disk = is
		}
	}
	return b
}
