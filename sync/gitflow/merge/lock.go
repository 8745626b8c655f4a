package merge

import (
	"context"
	stdsync "sync"
	"time"

	"ocaptain/sync/gitflow/git"
)

// keepRest bounds how often the lock is kept: for keepRest times as long as other merges waited for a kept lock, no
// merge may keep the lock again.
const keepRest = 3

// lock lets one merge at a time move the branch, in the order in which merges ask. A merge that lost too many races
// may keep the lock while its result is made and checked. A remote can make that slow, so only one merge at a time
// keeps the lock, for a bounded term, and only for a small share of the time in which others want it.
type lock struct {
	free    git.Turn
	keepers git.Turn

	mu      stdsync.Mutex
	waiting int       // merges that wait for the lock
	kept    bool      // a merge that lost races has it during its check
	since   time.Time // when the first other merge began to wait for the kept lock
	rest    time.Time // until when no merge may keep the lock
}

func newLock() *lock {
	return &lock{free: git.NewTurn(), keepers: git.NewTurn()}
}

func (l *lock) lock(ctx context.Context) error {
	l.count(1)
	defer l.count(-1)
	return l.free.Take(ctx)
}

func (l *lock) unlock() { l.free.Give() }

func (l *lock) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting += n
	l.noteWaiting()
}

// noteWaiting records when the first other merge begins to wait for the kept lock. The caller holds l.mu.
func (l *lock) noteWaiting() {
	if l.kept && l.waiting > 0 && l.since.IsZero() {
		l.since = time.Now()
	}
}

func (l *lock) isKept() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept
}

// keep takes the lock for at most term. Merges that want to keep the lock get it in the order in which they asked.
func (l *lock) keep(ctx context.Context, term time.Duration) (*lease, error) {
	if err := l.keepers.Take(ctx); err != nil {
		return nil, err
	}
	if err := l.awaitRest(ctx); err != nil {
		l.keepers.Give()
		return nil, err
	}
	if err := l.free.Take(ctx); err != nil {
		l.keepers.Give()
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = true
	l.noteWaiting()
	return &lease{lock: l, timer: time.AfterFunc(term, l.giveBack)}, nil
}

// awaitRest waits until l.rest, from when a merge may keep the lock again.
func (l *lock) awaitRest(ctx context.Context) error {
	l.mu.Lock()
	t := time.NewTimer(time.Until(l.rest))
	l.mu.Unlock()
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// giveBack releases the kept lock and computes l.rest.
func (l *lock) giveBack() {
	l.mu.Lock()
	if now := time.Now(); !l.since.IsZero() {
		l.rest = now.Add(keepRest * now.Sub(l.since))
	}
	l.kept, l.since = false, time.Time{}
	l.mu.Unlock()
	l.free.Give()
	l.keepers.Give()
}

// lease is a kept lock with a term. A nil lease stands for a lock that was not kept.
type lease struct {
	lock  *lock
	timer *time.Timer
	firm  bool
}

// settle stops the timer, so that the lock stays with this merge until end. It returns false if the term was already
// over.
func (k *lease) settle() bool {
	if k != nil && !k.firm {
		k.firm = k.timer.Stop()
	}
	return k != nil && k.firm
}

// end releases the lock unless the term was over first.
func (k *lease) end() {
	if k.settle() {
		k.lock.giveBack()
	}
}
