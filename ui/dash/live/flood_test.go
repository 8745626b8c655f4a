package live_test

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// flood is an agent that writes text without end, as fast as the ship can, with no two rows equal.
const flood = `exec seq -f 'a flood of text, row %.0f' 1 1000000000`

// A flooding ship delays no other ship: each key appears while the flood goes on.
func TestFloodBesideEcho(t *testing.T) {
	f := look(t, echo, flood)
	f.ShowOnly("ship-0", "ship-1")
	f.shows("ship-0", "ready")
	f.shows("ship-1", "flood")
	was := f.text("ship-1", 100, 30)
	echoes(f, 200)
	f.until("the flood goes on", func() bool { return f.text("ship-1", 100, 30) != was })
}

// echoes types keys into ship-0 and returns how long each took to appear, sorted.
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
			k = tea.KeyPressMsg{Code: tea.KeyEnter} // to the beginning of the line
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

// BenchmarkKeyBesideFlood is BenchmarkKey while another ship floods.
func BenchmarkKeyBesideFlood(b *testing.B) {
	f := look(b, echo, flood)
	f.ShowOnly("ship-0", "ship-1")
	f.shows("ship-1", "flood")
	benchmarkEchoes(b, f)
}

// BenchmarkKey measures the time from a key to the view that shows it.
func BenchmarkKey(b *testing.B) {
	f := look(b, echo)
	f.ShowOnly("ship-0")
	benchmarkEchoes(b, f)
}

func benchmarkEchoes(b *testing.B, f *fleet) {
	b.Helper()
	f.shows("ship-0", "ready")
	took := echoes(f, b.N)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(0, "ns/op")
}
