package eventually

import (
	"context"
	"sync"
	"time"
)

// wait is a context that ends at a standstill.
type wait struct {
	patience *Patience
	cancel   context.CancelCauseFunc
}

// watch looks at the processes of the test for all contexts together: tests make thousands of them, and a look reads much of /proc.
type watch struct {
	mu    sync.Mutex
	waits map[*wait]bool
	looks bool // its goroutine runs
}

var watched = watch{waits: map[*wait]bool{}}

// add has the context end at a standstill.
func (w *watch) add(ctx context.Context, x *wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	w.waits[x] = true
	if !w.looks {
		w.looks = true
		go w.run()
	}
}

func (w *watch) remove(x *wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waits, x)
}

// run looks until there is no context.
func (w *watch) run() {
	last, at := look(), time.Now()
	for range time.Tick(often) {
		now, between := look(), time.Since(at)
		over, ended := w.takeIn(last, now, between)
		for x, why := range over {
			x.cancel(why)
		}
		if ended {
			return
		}
		last, at = now, time.Now()
	}
}

// takeIn tells each context what moved. It returns the contexts whose patience is over, and whether there is none at all.
func (w *watch) takeIn(before, after movement, between time.Duration) (over map[*wait]error, none bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	over = map[*wait]error{}
	for x := range w.waits {
		x.patience.add(before, after, between)
		if err := x.patience.Over(); err != nil {
			over[x] = err
		}
	}
	w.looks = len(w.waits) > 0
	return over, !w.looks
}
