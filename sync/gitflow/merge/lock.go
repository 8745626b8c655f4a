package merge

import (
	"context"
	stdsync "sync"
	"time"

	"ocaptain/sync/gitflow/git"
)

// keepRest is how many times longer the others have the merge lock after a merge kept it than they waited for that
// merge.
const keepRest = 3

// lock lets one merge at a time bring something new to the branch, in the order in which they ask. A merge that lost
// too many races may keep the lock while its result is made and checked. That takes as long as a remote likes, so it is
// done by one at a time, for a bounded term, and for a small share of the time that others want the lock.
type lock struct {
	free    git.Turn
	keepers git.Turn

	mu      stdsync.Mutex
	waiting int       // merges that wait for the lock
	kept    bool      // by a merge that lost before
	since   time.Time // when the first of others began to wait for a lock that is kept
	rest    time.Time // until when the lock is not kept again
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
	l.held()
}

// held notes when others begin to wait for a lock that is kept. The caller holds l.mu.
func (l *lock) held() {
	if l.kept && l.waiting > 0 && l.since.IsZero() {
		l.since = time.Now()
	}
}

func (l *lock) isKept() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept
}

// keep takes the lock for at most a term. Merges that want to keep it take turns by age.
func (l *lock) keep(ctx context.Context, term time.Duration) (*lease, error) {
	if err := l.keepers.Take(ctx); err != nil {
		return nil, err
	}
	if err := l.rested(ctx); err != nil {
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
	l.held()
	return &lease{lock: l, timer: time.AfterFunc(term, l.giveBack)}, nil
}

// rested waits until the lock may be kept again.
func (l *lock) rested(ctx context.Context) error {
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

// giveBack ends the time in which the lock is kept.
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

// lease is a lock that is kept until its term is over. A nil one was never had.
type lease struct {
	lock  *lock
	timer *time.Timer
	firm  bool
}

// settle makes a lease whose term is not over last until it is ended, and tells whether it could.
func (k *lease) settle() bool {
	if k != nil && !k.firm {
		k.firm = k.timer.Stop()
	}
	return k != nil && k.firm
}

// end gives the lock back unless the term is over.
func (k *lease) end() {
	if k.settle() {
		k.lock.giveBack()
	}
}
