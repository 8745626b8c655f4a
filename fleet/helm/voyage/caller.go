package voyage

import (
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/notify"
	"ocaptain/fleet/retry"
)

// callService is what calls the captain.
func (h *Set) callService() *notify.Service {
	return notify.NewService(notify.Service{
		Home: h.Hub.Home, Config: h.Hub.ConfigFile(), Command: func() ([]string, error) { return h.notify() }, Began: h.began, Awake: h.awake.since, Log: h.log,
	})
}

// callForInstall tells the captain what needs him beside the voyages.
func (h *Set) callForInstall() {
	c := h.calls.NewCaller("", filepath.Join(h.Hub.State, "told.json"), h.tellAll)
	h.jobs.Go(func() { c.Run(h.ctx) })
	for ; h.ctx.Err() == nil; _ = retry.Sleep(h.ctx, repaint) {
		c.Show(h.ownBoard())
	}
}

// ownBoard has what is of this install: each voyage's board has it, too, and its caller leaves it to that of the install.
func (h *Set) ownBoard() *fleet.Board {
	b := &fleet.Board{Orphans: h.Sweeper.Names()}
	for _, v := range h.all() {
		if is := v.hinders.Disk(); !is.IsNone() && (b.Disk.IsNone() || is.Since.Before(b.Disk.Since)) {
			b.Disk = is
		}
	}
	return b
}
