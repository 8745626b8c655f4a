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

// leastDisk is the default limit of a ship on a disk that is nearly full, in bytes.
const leastDisk = 5 << 30

// The times of measurements. The free space of the disk is read often, which costs nothing. A ship is measured when
// so much was written to the disk that the ship may be near its limit. Otherwise it is measured rarely, and only if
// something has changed. The longer a measurement takes, the rarer it is.
const (
	look      = 2 * time.Second
	listEvery = time.Minute
	listAfter = 64 << 20 // bytes written before ships are listed again
	slowly    = time.Minute
	something = 16 << 20  // bytes written that are worth a measurement
	rarely    = time.Hour // even if the free space is unchanged: other programs may free as much as a ship writes
)

// disk is what is known of the disk that ships are on.
type disk struct {
	mu     sync.Mutex
	gauges map[string]*gauge // by id of the ship
	rest   time.Time         // only urgent measurements are made before this time

	// Used only by Watch.
	free    int64
	asked   bool
	written int64 // bytes written since ships were listed
	listed  time.Time
}

// atOnce is how many ships are measured at the same time, so that a ship with many files does not delay the others.
const atOnce = 4

// gauge is what is known of a ship's use of the disk.
type gauge struct {
	used    int64
	at      time.Time // when the ship was measured; zero for never
	took    time.Duration
	written int64 // bytes that any process has written to the disk since then
	changed bool  // something in the ship's directories has changed since then
	busy    bool  // the ship is being measured
}

// of returns a copy of a ship's gauge.
func (d *disk) of(id string) gauge {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g := d.gauges[id]; g != nil {
		return *g
	}
	return gauge{}
}

// change edits a ship's gauge.
func (d *disk) change(id string, how func(g *gauge)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gauges[id] == nil {
		d.gauges[id] = &gauge{}
	}
	how(d.gauges[id])
}

// keepOnly removes the gauges of ships that are gone.
func (d *disk) keepOnly(there map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.gauges, func(id string, _ *gauge) bool { return !there[id] })
}

// note records the free space of the disk.
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

// isDue reports whether to measure a ship whose limit is most bytes.
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

// Watch stops ships that exceed their limit of disk space, until ctx ends.
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

// lookAtDisk measures the ships that are due.
func (p *Provider) lookAtDisk(now time.Time, measure func(*record) bool) {
	free, err := freeDisk(p.dirs.root)
	if err != nil {
		return
	}
	d := p.disk
	d.note(free)
	if d.written < listAfter && now.Sub(d.listed) < listEvery {
		return
	}
	entries, err := os.ReadDir(p.dirs.root)
	if err != nil {
		return
	}
	limits, err := p.diskLimits()
	if err != nil {
		return
	}
	d.listed, d.written = now, 0
	there := map[string]bool{}
	for _, e := range entries {
		r, err := p.dirs.load(e.Name())
		if err != nil {
			continue
		}
		if there[r.ID] = true; !r.Process.Alive() {
			continue
		}
		g := d.of(r.ID)
		if d.isDue(g, now, limits.ship(r, g.used)) && !measure(r) {
			d.listed = time.Time{} // list the ships again next time
		}
	}
	d.keepOnly(there)
}

// lookAtShip measures a ship, and stops it if it exceeds its limit. After an error the next round tries again.
func (p *Provider) lookAtShip(ctx context.Context, r *record) {
	g, err := p.measure(ctx, r)
	if err != nil {
		return
	}
	p.disk.mu.Lock()
	p.disk.rest = time.Now().Add(20 * g.took)
	p.disk.mu.Unlock()
	if limits, err := p.diskLimits(); err == nil && g.used > limits.ship(r, g.used) {
		_ = p.stopFull(ctx, r.Name, r.ID)
	}
}

// stopFull kills all processes of a ship that exceeds its limit. The ship does not start again until it uses less, or
// may use more.
func (p *Provider) stopFull(ctx context.Context, name, id string) error {
	unlock, err := p.dirs.lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock(false)
	r, err := p.dirs.load(name)
	if err != nil || r.ID != id {
		return err
	}
	r.Full = true
	if err := p.dirs.save(r); err != nil {
		return err
	}
	p.disk.change(r.ID, func(g *gauge) { g.at = time.Time{} }) // the space of files without a name is free once its processes are gone
	return p.kill(ctx, r)
}

// hasRoom returns an error for a ship that was stopped because it exceeded its limit, and still does.
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
	limits, err := p.diskLimits()
	if err != nil {
		return err
	}
	if most := limits.ship(r, g.used); g.used > most {
		return fmt.Errorf("local ship %s: %w", r.Name, &provider.FullError{Used: g.used, Most: most, Setting: "local.disk", Dir: p.dirs.place(r).Home})
	}
	r.Full = false
	return nil
}

// diskLimits is what the limits of all ships follow from, in bytes.
type diskLimits struct {
	setting int64 // local.disk; zero if unset
	free    int64 // on the disk, if setting is zero
}

// diskLimits reads the configuration and asks the disk. Call it once for all ships of a round.
func (p *Provider) diskLimits() (diskLimits, error) {
	b, err := p.options.bounds()
	if err != nil || b.Disk > 0 {
		return diskLimits{setting: b.Disk}, err
	}
	free, err := freeDisk(p.dirs.root)
	return diskLimits{free: free}, err
}

// ship returns the limit in bytes of a ship that uses used bytes.
func (l diskLimits) ship(r *record, used int64) int64 {
	if l.setting > 0 {
		return l.setting
	}
	return max(leastDisk, r.Share, (l.free+used)/10)
}

// freeDisk returns the captain's free space on the disk of a directory, in bytes.
func freeDisk(dir string) (int64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("room on the disk of local ships: %w", err)
	}
	return int64(fs.Bavail * uint64(fs.Bsize)), nil
}

// measure adds up what a ship uses. It runs du, which counts a file with several names once and works at any depth, if possible as a
// user who can read what the ship has made unreadable.
func (p *Provider) measure(ctx context.Context, r *record) (gauge, error) {
	began, before := time.Now(), p.disk.of(r.ID)
	at := p.dirs.place(r)
	argv := []string{"nice", "-n", "19", "du", "-skx", at.Home, at.Runtime}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	readAll(cmd)
	out, err := cmd.Output()
	if cmd.Process == nil { // user namespaces may not be possible here
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
	if err != nil && !errors.As(err, &failed) { // du reports files that were removed meanwhile
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
