package gitflow

import "context"

// upkeepEvery is how many transfers pass between two looks at whether the object store wants packing.
const upkeepEvery = 500

// count notes a transfer and now and then packs the object store in the background. What nothing refers to any more,
// old snapshots mostly, goes into a pack of its own and is dropped after a day.
func (h *Hub) count() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.packs++
	if h.packs%upkeepEvery != 0 {
		return
	}
	h.upkeep.Go(func() { _ = h.pack(h.life) })
}

func (h *Hub) pack(ctx context.Context) error {
	h.packing.Store(true)
	defer h.packing.Store(false)
	return h.repo.set("gc.auto", "6700").set("gc.autoDetach", "false").set("gc.cruftPacks", "true").
		set("gc.pruneExpire", "1.day.ago").quiet(ctx, "gc", "--auto", "--quiet")
}
