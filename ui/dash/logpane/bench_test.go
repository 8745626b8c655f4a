package logpane

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"ocaptain/ui/logs"
)

// million returns a pane with a million records of a hundred ships.
func million(b *testing.B) *rig {
	b.Helper()
	r := board(b, logs.Most)
	const ships, each = 100, 10_000
	var buf bytes.Buffer
	for s := range ships {
		buf.Reset()
		ship := fmt.Sprintf("ship-%d", s)
		for i := range each {
			at := present.Add(time.Duration(i*ships+s) * time.Millisecond).Format(time.RFC3339Nano)
			fmt.Fprintf(&buf, `{"t":%q,"ship":%q,"role":"worker","kind":"tool","turn":%d,"task":"17","text":"Edit internal/server/handler_%d.go: the middleware of request %d goes through the queue and is tested","journal":"01JNQ","seq":%d}`+"\n", at, ship, i/10+1, i%50, i*7, i*300)
		}
		if err := os.WriteFile(r.dir.LogFile(ship), buf.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	r.read()
	r.lines(ships * each)
	return r
}

// BenchmarkFrame measures the work of the goroutine that draws for a frame of 200 by 50 cells with 33 new lines:
// 2,000 lines a second at 60 frames.
func BenchmarkFrame(b *testing.B) {
	r := million(b)
	p := r.pane
	for _, bb := range []struct {
		name   string
		change func()
	}{
		{"follow", func() {}},
		{"wrap", p.ToggleWrap},
		{"grep", func() { _ = p.SetFilter("handler_7|request 14") }},
		{"context", p.ToggleContext},
		{"paused", func() { p.ClearFilters(); r.work(); p.MoveBy(-400_000) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			bb.change()
			r.screen(200, 50)
			var frames []time.Duration
			for n := 0; b.Loop(); n++ {
				line := say(2000+n, "tool", "Edit internal/server/handler_7.go: the middleware of request 14 goes through the queue")
				for s := range 33 {
					r.log(fmt.Sprintf("ship-%d", (n*33+s)%100), line)
				}
				for came := 0; came < 33; {
					batch := <-r.batches
					before := p.book.NextSeq()
					begin := time.Now()
					p.AddBatch(batch)
					p.Advance(3 * time.Millisecond)
					work := p.PendingReads()
					p.View(200, 50)
					frames = append(frames, time.Since(begin))
					came += int(p.book.NextSeq() - before)
					for _, w := range work {
						p.ApplyResult(w())
					}
				}
			}
			slices.Sort(frames)
			b.ReportMetric(float64(frames[len(frames)/2].Microseconds()), "frame-p50-µs")
			b.ReportMetric(float64(frames[len(frames)*99/100].Microseconds()), "frame-p99-µs")
		})
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.Logf("%d records: heap %d MB", p.book.Len(), m.HeapAlloc>>20)
}

// BenchmarkFilterShips measures the slowest step of listing one ship of a hundred.
func BenchmarkFilterShips(b *testing.B) {
	r := million(b)
	p := r.pane
	p.View(200, 50)
	var slowest time.Duration
	for b.Loop() {
		p.ToggleShip(7)
		for more := true; more; {
			begin := time.Now()
			more = p.Advance(3 * time.Millisecond)
			p.View(200, 50)
			slowest = max(slowest, time.Since(begin))
		}
	}
	b.ReportMetric(float64(slowest.Microseconds()), "slowest-frame-µs")
}
