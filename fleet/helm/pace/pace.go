// Package pace watches whether the provisioning of ships makes progress, and knows what each waits for.
package pace

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/silence"
)

// Look is the time between two looks at the progress of ships.
const Look = 3 * time.Second

// Paces watch the ships that are being provisioned. The methods are safe for concurrent use.
type Paces struct {
	ctx     context.Context
	ticks   func() (ticks <-chan time.Time, stop func())
	changed func() // called when what is shown of a ship has changed

	mu  sync.Mutex
	all map[string]*Pace // by ship
}

// New returns Paces that look at each tick until ctx ends. ticks returns the channel of ticks and a function that
// stops it.
func New(ctx context.Context, ticks func() (<-chan time.Time, func()), changed func()) *Paces {
	return &Paces{ctx: ctx, ticks: ticks, changed: changed, all: map[string]*Pace{}}
}

// Ticks returns a channel that receives at each look, until stop is called.
func Ticks() (ticks <-chan time.Time, stop func()) {
	t := time.NewTicker(Look)
	return t.C, t.Stop
}

// Pace is the progress of provisioning one ship, or several that wait for the same.
type Pace struct {
	of     *Paces
	signs  atomic.Int64  // counts signs of progress: news of a step, and input and output of its programs
	awaits string        // who must answer before the step can continue; guarded by of.mu
	quiet  time.Duration // the time without a sign until the last look; guarded by of.mu
}

// Moved counts a sign of progress.
func (p *Pace) Moved() { p.signs.Add(1) }

// Await records whose answer the current step waits for.
func (p *Pace) Await(whom string) {
	p.Moved()
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.awaits = clean.Bound(whom, clean.MaxText)
}

// Begin starts to watch ships that wait for the same thing, until end is called. When they make no progress, it calls report once with
// what they wait for, until there is progress again.
func (a *Paces) Begin(ships []string, report func(text string)) (p *Pace, end func()) {
	p = &Pace{of: a}
	a.mu.Lock()
	for _, name := range ships {
		a.all[name] = p
	}
	a.mu.Unlock()
	ctx, cancel := context.WithCancel(a.ctx)
	var looks sync.WaitGroup
	looks.Go(func() { p.watch(ctx, report) })
	return p, func() {
		cancel()
		looks.Wait()
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, name := range ships {
			delete(a.all, name)
		}
	}
}

// Of returns whom a ship waits for, and how long there was no sign of progress. Both are zero for a ship that is not
// watched.
func (a *Paces) Of(ship string) (awaits string, quiet time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.all[ship]; p != nil {
		return p.awaits, p.quiet
	}
	return "", 0
}

func (p *Pace) watch(ctx context.Context, report func(text string)) {
	ticks, stop := p.of.ticks()
	defer stop()
	count, told := silence.Start(time.Now(), p.signs.Load()), false
	for {
		select {
		case now := <-ticks:
			quiet, _ := count.SilentFor(now, Look, p.signs.Load())
			p.of.mu.Lock()
			p.quiet = quiet
			text := resolve.AwaitText(p.awaits, quiet)
			p.of.mu.Unlock()
			if text != "" || told {
				p.of.changed()
			}
			if text != "" && !told {
				report(text)
			}
			told = text != ""
		case <-ctx.Done():
			return
		}
	}
}
