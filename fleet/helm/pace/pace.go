// Package pace looks whether the provisioning of ships gets on, and knows what each waits for.
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

// Look is how often Paces looks whether a ship gets on.
const Look = 3 * time.Second

// maxText bounds what a ship waits for.
const maxText = 8 << 10

// Paces are those of the ships that are being provisioned. Their methods are safe for concurrent use.
type Paces struct {
	ctx     context.Context
	ticks   func() (ticks <-chan time.Time, stop func())
	changed func() // is called when what is shown of a ship has changed

	mu  sync.Mutex
	all map[string]*Pace // by ship
}

// New returns paces that look until ctx ends, at the moments that ticks gives.
func New(ctx context.Context, ticks func() (<-chan time.Time, func()), changed func()) *Paces {
	return &Paces{ctx: ctx, ticks: ticks, changed: changed, all: map[string]*Pace{}}
}

// Ticks are the moments of looks, until stop.
func Ticks() (ticks <-chan time.Time, stop func()) {
	t := time.NewTicker(Look)
	return t.C, t.Stop
}

// Pace is how the provisioning of a ship gets on.
type Pace struct {
	of     *Paces
	signs  atomic.Int64  // of progress: news of a step, and input and output of its programs
	awaits string        // whose answer the step waits for; guarded by of.mu
	quiet  time.Duration // for how long there was no sign, at the last look; guarded by of.mu
}

// Moved notes a sign of progress.
func (p *Pace) Moved() { p.signs.Add(1) }

// Await notes whose answer the step under way waits for.
func (p *Pace) Await(whom string) {
	p.Moved()
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.awaits = clean.Bound(whom, maxText)
}

// Begin looks from now on whether ships that wait for the same get on, until end. Once per silence it tells report what they wait for.
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

// Of returns whose answer a ship waits for, and for how long there was no sign of progress. It returns nothing for a ship that is not looked at.
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
