package eventually

import (
	"fmt"
	"time"
)

const (
	// standstill is how long nothing may move on a quiet machine. The product itself may wait for a minute.
	standstill = 90 * time.Second
	// ceiling ends a wait in which something moves and nothing comes of it.
	ceiling = 20 * time.Minute
	// calm is how long a wait takes before it looks at processes: most waits are over by then.
	calm = 5 * time.Second
	// often is how often processes are looked at.
	often = time.Second
	// window is for how long they are looked at. What the test itself asks again and again falls outside.
	window = 250 * time.Millisecond
	// ticks and share are the processor time that idle ships, and the waiting itself, use: at first, and of all time looked at.
	ticks, share = 50 * time.Millisecond, 20
)

// Patience is one wait.
type Patience struct {
	begun, moved, looked time.Time
	longest, most        time.Duration // without movement; at all
	spent, seen          time.Duration // processor time, and time looked at, since something moved
}

// Begin begins a wait whose loop is the test's own.
func Begin() *Patience {
	now := time.Now()
	factor := Factor()
	return &Patience{begun: now, moved: now, longest: scale(standstill, factor), most: scale(ceiling, factor)}
}

func scale(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }

// Over tells why the wait is over, if it is.
func (p *Patience) Over() error {
	if still := time.Since(p.moved); still > p.longest {
		return fmt.Errorf("nothing moved for %s (factor %.1f)", still.Round(time.Second), Factor())
	}
	if all := time.Since(p.begun); all > p.most {
		return fmt.Errorf("not in %s, although something moves (factor %.1f)", all.Round(time.Second), Factor())
	}
	return nil
}

// Pause waits for a sixteenth of what was waited already: a test that looks all the time, and starts a program for each look, takes the
// processor from what it waits for. Once in a while it looks at what the processes of the test do meanwhile.
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

// Came starts the wait again: part of what the test waits for came about.
func (p *Patience) Came() {
	now := time.Now()
	p.begun, p.moved, p.spent, p.seen = now, now, 0, 0
}

// add takes in what two looks saw.
func (p *Patience) add(before, after movement, between time.Duration) {
	p.spent += after.spent - before.spent
	p.seen += between
	if after.started != before.started || after.running != before.running || p.spent > ticks+p.seen/share {
		p.moved, p.spent, p.seen = time.Now(), 0, 0
	}
}
