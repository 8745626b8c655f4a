package storetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ocaptain/tasks"
)

// BenchmarkClaims measures claims, each with its completion: from 64 claimants that claim again at
// once, and from 100 ships that work on a task for a fifth of a second. It reports claims per
// second and the time of a claim.
func BenchmarkClaims(b *testing.B, fresh Fresh) {
	b.Run("64-at-once", func(b *testing.B) { benchmarkClaims(b, fresh, 64, 0) })
	b.Run("100-ships", func(b *testing.B) { benchmarkClaims(b, fresh, 100, 200*time.Millisecond) })
}

func benchmarkClaims(b *testing.B, fresh Fresh, claimants int, work time.Duration) {
	s := open(b, fresh, Graph(max(b.N, claimants), 1)...)
	crowd := &crowd{store: s, want: int64(b.N), work: work, over: make(chan struct{})}
	b.ResetTimer()
	start := time.Now()
	var group sync.WaitGroup
	for i := range claimants {
		group.Go(func() { crowd.claimant(b, fmt.Sprint("ship-", i)) })
	}
	group.Wait()
	elapsed := time.Since(start)
	b.StopTimer()
	slices.Sort(crowd.took)
	n := len(crowd.took)
	b.ReportMetric(float64(n)/elapsed.Seconds(), "claims/s")
	b.ReportMetric(float64(crowd.took[n/2].Microseconds()), "µs-grant-p50")
	b.ReportMetric(float64(crowd.took[n*99/100].Microseconds()), "µs-grant-p99")
}

// crowd is a set of claimants on one store.
type crowd struct {
	store tasks.Store
	work  time.Duration // time to work on a task
	want  int64         // how many claims to make in all
	done  atomic.Int64
	over  chan struct{} // closed when these are made

	mu   sync.Mutex
	took []time.Duration // how long each claim took
}

func (c *crowd) claimant(b *testing.B, owner string) {
	watch := c.store.Watch(b.Context())
	var mine []time.Duration
	for c.done.Load() < c.want {
		asked := time.Now()
		g, err := c.store.Claim(b.Context(), owner, "")
		if err != nil {
			select { // no task is ready until one is completed
			case <-watch:
			case <-c.over:
			}
			continue
		}
		mine = append(mine, time.Since(asked))
		time.Sleep(c.work)
		if err := c.store.Complete(b.Context(), done(g, "")); err != nil {
			b.Error(err)
		}
		if c.done.Add(1) == c.want {
			close(c.over)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.took = append(c.took, mine...)
}
