package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
)

// leastDisk is what a ship may use of a disk that is nearly full, when the captain says nothing.
const leastDisk = 5 << 30

// When ships are measured. How much room the disk has is asked all the time, and costs nothing. A ship is measured when so much was
// written to the disk that it may be near its bound, else slowly and only if anything changed; the more that costs, the less often.
const (
	look      = 2 * time.Second
	listEvery = time.Minute
	listAfter = 64 << 20 // bytes written
	slowly    = time.Minute
	something = 16 << 20  // bytes written that are worth a measure
	rarely    = time.Hour // what others free may hide what a ship writes
)

// disk is what is known of the disk that ships are on.
type disk struct {
	mu     sync.Mutex
	gauges map[string]*gauge // by the ship's id
	rest   time.Time         // until then nothing is measured but what must be

	// Of Watch alone.
	free    int64
	asked   bool
	written int64 // since ships were listed
	listed  time.Time
}

// atOnce is how many ships are measured at a time, so that one with many files keeps no other from that.
const atOnce = 4

// gauge is what is known of a ship's use.
type gauge struct {
	used    int64
	at      time.Time // when it was measured; zero for never
	took    time.Duration
	written int64 // to the disk since then, by whomever
	changed bool  // anything there since then
	busy    bool  // it is being measured
}

// of is a copy of what is known of a ship.
func (d *disk) of(id string) gauge {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g := d.gauges[id]; g != nil {
		return *g
	}
	return gauge{}
}

// change alters what is known of a ship.
func (d *disk) change(id string, how func(g *gauge)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gauges[id] == nil {
		d.gauges[id] = &gauge{}
	}
	how(d.gauges[id])
}

// keepOnly forgets the ships that are gone.
func (d *disk) keepOnly(there map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.gauges, func(id string, _ *gauge) bool { return !there[id] })
}

// note takes in how much room there is.
func (d *disk) note(free int64) {
	drop, changed := max(0, d.free-free), free != d.free
	if !d.asked {
		drop, d.asked = 0, true
	}
	d.free = free
	d.written += drop
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.gauges {
		g.written += drop
		g.changed = g.changed || changed
	}
}

// isDue tells whether a ship that may use so much is to be measured.
func (d *disk) isDue(g gauge, now time.Time, most int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	since := now.Sub(g.at)
	switch {
	case g.busy:
		return false
	case g.at.IsZero():
		return true
	case g.written >= (most-g.used)/2:
		return since >= 4*g.took
	}
	return (g.written >= something && since >= slowly || g.changed && since >= rarely) && now.After(d.rest)
}

// Watch stops ships that use more of the disk than they may, until ctx ends.
func (p *Provider) Watch(ctx context.Context) {
	room := make(chan struct{}, atOnce)
	var ships sync.WaitGroup
	defer ships.Wait()
	for {
		p.lookAtDisk(time.Now(), func(r *record) bool {
			select {
			case room <- struct{}{}:
			default:
				return false
			}
			p.disk.change(r.ID, func(g *gauge) { g.busy = true })
			ships.Go(func() {
				p.lookAtShip(ctx, r)
				p.disk.change(r.ID, func(g *gauge) { g.busy = false })
				<-room
			})
			return true
		})
		if retry.Sleep(ctx, look) != nil {
			return
		}
	}
}

// lookAtDisk has the ships measured for which that is due.
func (p *Provider) lookAtDisk(now time.Time, measure func(*record) bool) {
	free, err := p.freeDisk()
	if err != nil {
		return
	}
	d := p.disk
	d.note(free)
	if d.written < listAfter && now.Sub(d.listed) < listEvery {
		return
	}
	entries, err := os.ReadDir(p.options.Root)
	if err != nil {
		return
	}
	d.listed, d.written = now, 0
	there := map[string]bool{}
	for _, e := range entries {
		r, err := p.load(e.Name())
		if err != nil {
			continue
		}
		if there[r.ID] = true; !r.Process.Alive() {
			continue
		}
		g := d.of(r.ID)
		if most, err := p.mostDisk(r, g.used); err == nil && d.isDue(g, now, most) && !measure(r) {
			d.listed = time.Time{} // the next time
		}
	}
	d.keepOnly(there)
}

// lookAtShip measures a ship, and stops it when it uses too much. What goes wrong is tried again.
func (p *Provider) lookAtShip(ctx context.Context, r *record) {
	g, err := p.measure(ctx, r)
	if err != nil {
		return
	}
	p.disk.mu.Lock()
	p.disk.rest = time.Now().Add(20 * g.took)
	p.disk.mu.Unlock()
	if most, err := p.mostDisk(r, g.used); err == nil && g.used > most {
		_ = p.stopFull(ctx, r.Name, r.ID)
	}
}

// stopFull ends all processes of a ship, which does not come back before it uses less, or may use more.
func (p *Provider) stopFull(ctx context.Context, name, id string) error {
	unlock, err := p.lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock(false)
	r, err := p.load(name)
	if err != nil || r.ID != id {
		return err
	}
	r.Full = true
	if err := p.save(r); err != nil {
		return err
	}
	p.disk.change(r.ID, func(g *gauge) { g.at = time.Time{} }) // what had no name is gone with its processes
	return p.kill(ctx, r)
}

// hasRoom fails for a ship that was stopped as it used too much, and still does.
func (p *Provider) hasRoom(ctx context.Context, r *record) error {
	if !r.Full {
		return nil
	}
	g := p.disk.of(r.ID)
	if time.Since(g.at) >= max(look, 20*g.took) {
		var err error
		if g, err = p.measure(ctx, r); err != nil {
			return err
		}
	}
	most, err := p.mostDisk(r, g.used)
	if err != nil {
		return err
	}
	if g.used > most {
		return fmt.Errorf("local ship %s: %w", r.Name, &provider.FullError{Used: g.used, Most: most, Setting: "local.disk", Dir: p.place(r).Home})
	}
	r.Full = false
	return nil
}

// mostDisk is how many bytes a ship may use that uses so many.
func (p *Provider) mostDisk(r *record, used int64) (int64, error) {
	b, err := p.bounds()
	if err != nil || b.Disk > 0 {
		return b.Disk, err
	}
	free, err := p.freeDisk()
	return max(leastDisk, r.Share, (free+used)/10), err
}

// freeDisk is how much room the captain has where ships are.
func (p *Provider) freeDisk() (int64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(p.options.Root, &fs); err != nil {
		return 0, fmt.Errorf("room on the disk of local ships: %w", err)
	}
	return int64(fs.Bavail * uint64(fs.Bsize)), nil
}

// measure adds up what a ship uses. Du counts what has several names once, finds its way down any depth, and where it can is one who
// reads what the ship has closed.
func (p *Provider) measure(ctx context.Context, r *record) (gauge, error) {
	began, before := time.Now(), p.disk.of(r.ID)
	at := p.place(r)
	argv := []string{"nice", "-n", "19", "du", "-skx", at.Home, at.Runtime}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	readAll(cmd)
	out, err := cmd.Output()
	if cmd.Process == nil { // there may be no user namespaces here
		cmd = exec.CommandContext(ctx, argv[0], argv[1:]...)
		out, err = cmd.Output()
	}
	if ctx.Err() != nil {
		return gauge{}, ctx.Err()
	}
	g := gauge{at: time.Now()}
	for line := range strings.Lines(string(out)) {
		kib, _, _ := strings.Cut(line, "\t")
		n, bad := strconv.ParseInt(kib, 10, 64)
		if bad != nil {
			return g, fmt.Errorf("du: %w", bad)
		}
		g.used += n << 10
	}
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) { // it says so of files that are gone meanwhile
		return g, err
	}
	g.used += unlinked(at.Home, r.Process.PID)
	g.took = time.Since(began)
	p.disk.change(r.ID, func(is *gauge) {
		g.written, g.changed, g.busy = is.written-before.written, is.written > before.written, is.busy
		*is = g
	})
	return g, nil
}
