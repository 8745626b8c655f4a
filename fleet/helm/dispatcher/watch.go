package dispatcher

import (
	"os"
	"sync"
	"time"

	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/retry"
)

// WatchOptions say what a Watch needs from its voyage besides the Core.
type WatchOptions struct {
	*core.Core
	Awake func(now time.Time) time.Time   // since when the hub has been awake
	Seen  func(now time.Time) []pool.Seen // what is to be seen of the workers that have a machine
	Tell  func(worker string)             // tells a worker to commit, if it takes messages during a turn
}

// Watch looks at the workers of a pool again and again. Its methods are safe for concurrent use.
type Watch struct {
	WatchOptions
	mu sync.Mutex
	is pool.Watch
}

// NewWatch returns a Watch that has seen nothing.
func NewWatch(o WatchOptions) *Watch { return &Watch{WatchOptions: o} }

// Change changes what was seen of workers. fn waits for nothing.
func (w *Watch) Change(fn func(*pool.Watch)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fn(&w.is)
}

// Of returns how long a worker has worked without a commit.
func (w *Watch) Of(worker string) pool.Work {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.is.Of(worker)
}

// Stands records which commit is checked out in a worker's tree.
func (w *Watch) Stands(worker, commit string, at time.Time) {
	w.mu.Lock()
	committed := w.is.Stands(worker, commit, at)
	w.mu.Unlock()
	if committed {
		w.Paint.Send()
	}
}

// Run looks at the workers until the voyage's work ends.
func (w *Watch) Run() {
	if w.Info.Check <= 0 {
		return
	}
	for retry.Sleep(w.Context, min(time.Minute, w.Info.Check)) == nil {
		w.Look(time.Now())
	}
}

// Look writes the states of the workers to the pool's log when they are due, and tells workers to commit.
func (w *Watch) Look(now time.Time) {
	awake, seen := w.Awake(now), w.Seen(now)
	w.mu.Lock()
	log, tell := w.is.Look(now, awake, w.Info.Check, seen)
	w.mu.Unlock()
	if len(tell) > 0 {
		w.Paint.Send()
	}
	for _, worker := range tell {
		w.Tell(worker)
	}
	if err := w.write(log); err != nil {
		w.Log.Warn("status log", "error", err)
	}
}

// maxLog is how large the log of a pool gets before it is moved aside, in bytes.
const maxLog = 1 << 20

// write writes lines to the pool's log.
func (w *Watch) write(lines string) error {
	if lines == "" {
		return nil
	}
	path := w.Dir.StatusLog()
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(lines)
	return err
}
