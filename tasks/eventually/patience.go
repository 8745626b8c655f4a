package eventually

import (
	"fmt"
	"time"
)

const (
	// standstill is how long a quiet machine may show no movement before a wait fails. The product itself may
	// wait for a minute.
	standstill = 90 * time.Second
	// ceiling ends a wait that never succeeds although something moves.
	ceiling = 20 * time.Minute
	// calm is how long a wait lasts before it looks at processes: most waits are shorter.
	calm = 5 * time.Second
	// often is the time between looks at processes.
	often = time.Second
	// window is how long a look lasts. The test's own polling pauses meanwhile.
	window = 250 * time.Millisecond
	// ticks and share are the processor time that idle ships and the wait itself use: a constant, and a fraction
	// (1/share) of the observed time.
	ticks, share = 50 * time.Millisecond, 20
)

// Patience is one wait.
type Patience struct {
	begun, moved, looked time.Time
	longest, most        time.Duration // limits: of the time without movement, and of the whole wait
	spent, seen          time.Duration // since the last movement: processor time, and time observed
}

// Begin returns a Patience for a test with its own loop.
func Begin() *Patience {
	now := time.Now()
	factor := Factor()
	return &Patience{begun: now, moved: now, longest: scale(standstill, factor), most: scale(ceiling, factor)}
}

func scale(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }

// Over returns an error that says why the wait has to end, nil while it may go on.
func (p *Patience) Over() error {
	if still := time.Since(p.moved); still > p.longest {
		return fmt.Errorf("nothing moved for %s (factor %.1f)", still.Round(time.Second), Factor())
	}
	if all := time.Since(p.begun); all > p.most {
		return fmt.Errorf("not in %s, although something moves (factor %.1f)", all.Round(time.Second), Factor())
	}
	return nil
}

// Pause waits for a sixteenth of the time waited so far: a test that polls without pause, and starts a program each time, takes the
// processor from the work that it waits for. Now and then Pause also looks at what the processes of the test do.
func (p *Patience) Pause(wait func(time.Duration)) {
	waited := time.Since(p.begun)
	d := min(max(waited/16, 2*time.Millisecond), 100*time.Millisecond)
	if waited < calm || time.Since(p.looked) < often {
		wait(d)
		return
	}
	before, from := look(), time.Now()
	wait(window)
	p.add(before, look(), time.Since(from))
	p.looked = time.Now()
}

// Came restarts the wait: a part of what the test waits for has arrived.
func (p *Patience) Came() {
	now := time.Now()
	p.begun, p.moved, p.spent, p.seen = now, now, 0, 0
}

// add updates the wait with the movement between two looks.
func (p *Patience) add(before, after movement, between time.Duration) {
	p.spent += after.spent - before.spent
	p.seen += between
	if after.started != before.started || after.running != before.running || p.spent > ticks+p.seen/share {
		p.moved, p.spent, p.seen = time.Now(), 0, 0
	}
}
