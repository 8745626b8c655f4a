package gitflow

import "context"

// upkeepEvery is how many transfers pass between two looks at whether the object store wants packing, and upkeepSize how
// many bytes until it is packed in any case.
const (
	upkeepEvery = 500
	upkeepSize  = 256 << 20
)

// count notes a transfer and now and then packs the object store in the background. What nothing refers to any more,
// old snapshots mostly, goes into a pack of its own and is dropped after an hour.
func (h *Hub) count(size int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.packs++
	h.grown += size
	switch {
	case h.grown >= upkeepSize && !h.packing.Load():
		h.grown = 0
		h.upkeep.Go(func() { _ = h.pack(h.life) })
	case h.packs%upkeepEvery == 0:
		h.upkeep.Go(func() { _ = h.pack(h.life, "--auto") })
	}
}

func (h *Hub) pack(ctx context.Context, how ...string) error {
	h.packing.Store(true)
	defer h.packing.Store(false)
	return h.repo.Set("gc.auto", "6700").Set("gc.autoDetach", "false").Set("gc.cruftPacks", "true").
		Set("gc.bigPackThreshold", "512m").Set("gc.pruneExpire", "1.hour.ago").Run(ctx, append([]string{"gc", "--quiet"}, how...)...)
}
