package voyage

import (
	"context"
	gosync "sync"
	"sync/atomic"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/silence"
)

// paceLook is how often helm looks whether the fitting out of a ship gets on.
const paceLook = 3 * time.Second

// paceTicks are the moments of these looks, until stop.
func paceTicks() (ticks <-chan time.Time, stop func()) {
	t := time.NewTicker(paceLook)
	return t.C, t.Stop
}

// pace is how the fitting out of a ship gets on.
type pace struct {
	signs  atomic.Int64  // of progress: news of a step, and input and output of its programs
	awaits string        // whose answer the step waits for; guarded by the voyage's mu
	quiet  time.Duration // for how long there was no sign, at the last look; guarded by the voyage's mu
}

func (p *pace) moved() { p.signs.Add(1) }

// beginPace looks from now on whether the fitting out of ships gets on that wait for the same, until end. Once per silence it
// reports it of the first.
func (v *Voyage) beginPace(ships []*fleet.Ship, report func(api.Progress)) (p *pace, end func()) {
	p = &pace{}
	changes(v, func() {
		for _, f := range ships {
			v.paces[f.Name] = p
		}
	})
	ctx, cancel := context.WithCancel(v.ctx)
	var looks gosync.WaitGroup
	looks.Go(func() { v.watchPace(ctx, ships[0], p, report) })
	return p, func() {
		cancel()
		looks.Wait()
		changes(v, func() {
			for _, f := range ships {
				delete(v.paces, f.Name)
			}
		})
	}
}

func (v *Voyage) watchPace(ctx context.Context, f *fleet.Ship, p *pace, report func(api.Progress)) {
	ticks, stop := v.set.paceTicks()
	defer stop()
	count, told := silence.Start(time.Now(), p.signs.Load()), false
	for {
		select {
		case now := <-ticks:
			quiet, _ := count.SilentFor(now, paceLook, p.signs.Load())
			var (
				text string
				news api.Progress
			)
			changes(v, func() {
				p.quiet = quiet
				text = resolve.AwaitText(p.awaits, quiet)
				news = api.Progress{Ship: f.Name, Step: f.Step, State: api.StepNote, Text: text}
				if text != "" || told {
					v.requestBoard()
				}
			})
			if text != "" && !told {
				report(news)
			}
			told = text != ""
		case <-ctx.Done():
			return
		}
	}
}

// await notes whose answer the step under way waits for.
func (v *Voyage) await(p *pace, whom string) {
	p.moved()
	changes(v, func() { p.awaits = clean.Bound(whom, maxText) })
}
