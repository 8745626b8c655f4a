package live_test

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A ship that floods does not hold up another.
func TestFloodBesideEcho(t *testing.T) {
	f := look(t, echo, `exec yes 'a flood of text that never ends, as fast as the ship can'`)
	f.ShowOnly("ship-0", "ship-1")
	f.shows("ship-0", "ready")
	f.shows("ship-1", "flood")
	took := echoes(f, 200)
	t.Logf("echo beside a flood: p50 %s, p99 %s", took[len(took)/2], took[len(took)*99/100])
	if p50 := took[len(took)/2]; p50 > 50*time.Millisecond {
		t.Errorf("echo takes %s", p50)
	}
}

// echoes types keys into ship-0 and returns how long each took to be on the screen, sorted.
func echoes(f *fleet, n int) []time.Duration {
	f.t.Helper()
	p := f.PaneOf("ship-0")
	var took []time.Duration
	x := -1
	for i := range n {
		f.rows("ship-0", 100, 30)
		if c, ok := p.Cursor(); ok {
			x = c.X
		}
		k := key(rune('a' + i%26))
		if i%80 == 79 {
			k = tea.KeyPressMsg{Code: tea.KeyEnter} // back to the beginning of the line
		}
		start := time.Now()
		if err := p.SendKey(k); err != nil {
			f.t.Fatal(err)
		}
		f.until("the key is shown", func() bool {
			p.View(100, 30)
			c, ok := p.Cursor()
			return ok && c.X != x
		})
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took
}

// BenchmarkKey is from a key to the view that shows it.
func BenchmarkKey(b *testing.B) {
	f := look(b, echo)
	f.ShowOnly("ship-0")
	f.shows("ship-0", "ready")
	took := echoes(f, b.N)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(0, "ns/op")
}
