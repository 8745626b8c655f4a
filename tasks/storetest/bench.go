package storetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkClaims lets 64 claimants claim and complete the tasks of a random graph.
// It reports claims per second, each one with its completion, and how long a grant took.
func BenchmarkClaims(b *testing.B, fresh Fresh) {
	s := open(b, fresh, Graph(max(b.N, racers), 1)...)
	var claims atomic.Int64
	var mu sync.Mutex
	var took []time.Duration
	b.ResetTimer()
	start := time.Now()
	var group sync.WaitGroup
	for i := range racers {
		group.Go(func() {
			owner := fmt.Sprint("ship-", i)
			watch := s.Watch(b.Context())
			var mine []time.Duration
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				took = append(took, mine...)
			}()
			for claims.Load() < int64(b.N) {
				asked := time.Now()
				g, err := s.Claim(b.Context(), owner, "")
				if err != nil {
					<-watch // nothing ready, which the completion of another changes
					continue
				}
				mine = append(mine, time.Since(asked))
				if err := s.Complete(b.Context(), done(g, "")); err != nil {
					b.Error(err)
				}
				claims.Add(1)
			}
		})
	}
	group.Wait()
	elapsed := time.Since(start)
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(len(took))/elapsed.Seconds(), "claims/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-grant-p50")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-grant-p99")
}
