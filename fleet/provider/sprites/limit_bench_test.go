package sprites_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/provider/sprites/spritestest"
)

// BenchmarkCreateAtLimit makes one ship and then 20 at the same time, with a service that makes ten in a minute,
// which lasts 20 s here. The second ten cannot begin before that is over; ratio is the time for all divided by that
// minute plus the time for one ship.
func BenchmarkCreateAtLimit(b *testing.B) {
	const second = time.Second / 3
	for b.Loop() {
		makes := func(n int) time.Duration {
			f := fake(b, spritestest.Options{Latency: 50 * time.Millisecond, Second: second, CreatesPerMinute: 10})
			p := client(b, f)
			began := time.Now()
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() {
					if _, err := p.Create(soon(b), spec(b, fmt.Sprintf("ship-%d", i))); err != nil {
						b.Error(err)
					}
				})
			}
			all.Wait()
			return time.Since(began)
		}
		one, many := makes(1), makes(20)
		b.ReportMetric(one.Seconds(), "one-s")
		b.ReportMetric(many.Seconds(), "20-s")
		b.ReportMetric(many.Seconds()/(one+60*second).Seconds(), "ratio")
	}
}
