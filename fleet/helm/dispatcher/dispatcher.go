// Package dispatcher gives the captain's commands to the workers of a pool: it queues a dispatch, reserves it for a worker that is free, and has
// that worker take it up.
package dispatcher

import (
	"sync"
	"time"

	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/wake"
)

// Options say what a Dispatcher needs from its voyage.
type Options struct {
	*core.Core
	Watch     *Watch
	Fit       *fit.Fit
	Providers map[string]provider.Provider
	SetupTime time.Duration // time that a repository's setup script may take
	Grants    sync.Locker   // while it is held, no claim is taken back

	Workers func(now time.Time) []Worker // the workers as they are at one moment
	Ship    func(name string) *Ship      // returns the running side of a worker, nil without a machine
	Leave   func(name string) bool       // lets a worker take no more tasks, if it holds none, and reports whether it is to be removed now
}

// Worker is what the Dispatcher knows of a worker. Soon and Free do not consider the task that it is taking up.
type Worker struct {
	pool.Worker
	Free bool // its agent waits for a message
}

// Dispatcher gives the dispatches of a pool to its workers. Its methods are safe for concurrent use.
type Dispatcher struct {
	Options
	soon wake.Signal

	mu sync.Mutex // held while tasks are given; before the locks of the voyage and of ships
}

// New returns a Dispatcher that gives nothing yet.
func New(o Options) *Dispatcher { return &Dispatcher{Options: o, soon: wake.New()} }

// idle is how long a worker that could not take up its task is left alone, and the longest time between two looks at what can be given.
const idle = 5 * time.Second

// Run gives tasks to workers that are free, and removes drained workers, until the voyage's work ends. It does nothing where agents claim by
// themselves.
func (d *Dispatcher) Run() {
	if !d.Kind.Gives() {
		return
	}
	look := time.NewTicker(idle)
	defer look.Stop()
	for {
		news := d.News.Next()
		if err := d.Give(); err != nil && d.Context.Err() == nil {
			d.Log.Warn("tasks could not be given", "error", err)
		}
		d.removeDrained()
		select {
		case <-news:
		case <-d.soon:
		case <-look.C:
		case <-d.Context.Done():
			return
		}
	}
}

// Soon wakes Run: a worker may be free.
func (d *Dispatcher) Soon() { d.soon.Send() }

// crew returns the workers as dispatches depend on them.
func (d *Dispatcher) crew() (all pool.Crew) {
	for _, w := range d.Workers(time.Now()) {
		w.Soon = w.Soon && !d.isTaking(w.Name)
		all = append(all, w.Worker)
	}
	return all
}
