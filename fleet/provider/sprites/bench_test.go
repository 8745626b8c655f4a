package sprites_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet/provider/sprites/spritestest"
)

// BenchmarkCreate makes ships at the same time, until the SSH server of each answers, with a service that takes 50 ms
// for each answer and has no limit.
func BenchmarkCreate(b *testing.B) {
	for _, n := range []int{1, 10, 20} {
		b.Run(fmt.Sprintf("ships=%d", n), func(b *testing.B) {
			f := fake(b, spritestest.Options{Latency: 50 * time.Millisecond})
			p := client(b, f)
			for round := range b.N {
				var all sync.WaitGroup
				for i := range n {
					all.Go(func() {
						if _, err := p.Create(soon(b), spec(b, fmt.Sprintf("ship-%d-%d", round, i))); err != nil {
							b.Error(err)
						}
					})
				}
				all.Wait()
				b.StopTimer()
				for _, name := range f.Names() {
					f.Remove(name)
				}
				b.StartTimer()
			}
		})
	}
}
