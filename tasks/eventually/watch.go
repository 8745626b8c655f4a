package eventually

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// wait is a context that ends at a standstill.
type wait struct {
	patience *Patience
	cancel   context.CancelCauseFunc
}

// watch looks at the processes of the test on behalf of all contexts. Tests make thousands of contexts, and one look
// reads much of /proc.
type watch struct {
	mu    sync.Mutex
	waits map[*wait]bool
	end   chan struct{} // closed to end the goroutine, which runs only while there are contexts
}

var watched = watch{waits: map[*wait]bool{}}

// add makes ctx end at a standstill.
func (w *watch) add(ctx context.Context, x *wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	w.waits[x] = true
	if w.end == nil {
		w.end = make(chan struct{})
		go w.run(w.end)
	}
}

func (w *watch) remove(x *wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waits, x)
	if len(w.waits) == 0 && w.end != nil {
		close(w.end)
		w.end = nil
	}
}

func (w *watch) run(end <-chan struct{}) {
	tick := time.NewTicker(often)
	defer tick.Stop()
	for last, at := look(), time.Now(); ; {
		select {
		case <-end:
			return
		case <-tick.C:
		}
		now := look()
		w.tell(last, now, time.Since(at))
		last, at = now, time.Now()
	}
}

// tell updates each context with the movement, and ends the contexts out of patience.
func (w *watch) tell(before, after movement, between time.Duration) {
	w.mu.Lock()
	waits := slices.Collect(maps.Keys(w.waits))
	w.mu.Unlock()
	for _, x := range waits {
		x.patience.add(before, after, between)
		if err := x.patience.Over(); err != nil {
			x.cancel(err)
		}
	}
}
