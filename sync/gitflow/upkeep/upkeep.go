// Package upkeep packs the object store of a clone in the background, and keeps the captain's own "git gc" away from
// objects that no ref has yet.
package upkeep

import (
	"context"
	stdsync "sync"
	"sync/atomic"

	"ocaptain/sync/gitflow/git"
)

// After packEvery transfers, Count has git check whether the object store needs packing. After packSize bytes, it
// packs in any case.
const (
	packEvery = 500
	packSize  = 256 << 20
)

// Upkeep packs the object store of one clone. Close it after use.
type Upkeep struct {
	repo    git.Repo
	guard   guard
	packing atomic.Bool // our own gc runs

	mu    stdsync.Mutex
	packs int   // transfers received so far
	grown int64 // bytes received since the last full packing
	jobs  stdsync.WaitGroup
	close context.CancelFunc
	life  context.Context
}

// New returns the Upkeep of a clone.
func New(repo git.Repo) *Upkeep {
	u := &Upkeep{repo: repo}
	u.life, u.close = context.WithCancel(context.Background())
	return u
}

// Close ends packing in the background.
func (u *Upkeep) Close() {
	u.close()
	u.jobs.Wait()
}

// Count counts a transfer of size bytes, and from time to time packs the object store in the background. Objects that
// no ref reaches, mostly old snapshots, go into a cruft pack, and git deletes them after an hour.
func (u *Upkeep) Count(size int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.packs++
	u.grown += size
	switch {
	case u.grown >= packSize && !u.packing.Load():
		u.grown = 0
		u.jobs.Go(func() { _ = u.Pack(u.life) })
	case u.packs%packEvery == 0:
		u.jobs.Go(func() { _ = u.Pack(u.life, "--auto") })
	}
}

// Pack runs git gc with the options how.
func (u *Upkeep) Pack(ctx context.Context, how ...string) error {
	u.packing.Store(true)
	defer u.packing.Store(false)
	return u.repo.Set("gc.auto", "6700").Set("gc.autoDetach", "false").Set("gc.cruftPacks", "true").
		Set("gc.bigPackThreshold", "512m").Set("gc.pruneExpire", "1.hour.ago").Run(ctx, append([]string{"gc", "--quiet"}, how...)...)
}
