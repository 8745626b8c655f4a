package local

import (
	"testing"
	"time"
)

// TestDue checks that a ship is measured when it may be near its limit, otherwise the rarer the longer that takes, and never
// if nothing has changed.
func TestDue(t *testing.T) {
	const mb, most = 1 << 20, 1000 << 20
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	ago := now.Add
	for name, c := range map[string]struct {
		g    gauge
		rest time.Duration
		want bool
	}{
		"never measured":                {gauge{}, time.Hour, true},
		"being measured":                {gauge{busy: true}, 0, false},
		"nothing changed":               {gauge{at: ago(-100 * time.Hour)}, 0, false},
		"half of its room was written":  {gauge{at: ago(-2 * time.Second), used: 400 * mb, written: 300 * mb}, time.Hour, true},
		"less was":                      {gauge{at: ago(-2 * time.Second), used: 400 * mb, written: 299 * mb}, 0, false},
		"it was, and a walk is dear":    {gauge{at: ago(-2 * time.Second), used: 400 * mb, written: 300 * mb, took: time.Second}, 0, false},
		"something was, a minute ago":   {gauge{at: ago(-time.Minute), written: 16 * mb}, -time.Second, true},
		"something was, and others are": {gauge{at: ago(-time.Minute), written: 16 * mb}, time.Second, false},
		"a little was, a minute ago":    {gauge{at: ago(-time.Minute), written: mb, changed: true}, -time.Second, false},
		"a little was, an hour ago":     {gauge{at: ago(-time.Hour), written: mb, changed: true}, -time.Second, true},
		"it uses too much already":      {gauge{at: ago(-2 * time.Second), used: 1100 * mb}, 0, true},
	} {
		d := &disk{rest: now.Add(c.rest)}
		if got := d.isDue(c.g, now, most); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The gauge of a ship is removed when the ship is gone.
func TestGaugesAreOfShips(t *testing.T) {
	p := &Provider{dirs: dirs{root: t.TempDir()}, disk: &disk{gauges: map[string]*gauge{}}}
	p.disk.change("gone", func(g *gauge) { g.used = 1 })
	p.lookAtDisk(time.Now(), func(*record) bool { return true })
	if n := len(p.disk.gauges); n > 0 {
		t.Errorf("%d gauges", n)
	}
}
