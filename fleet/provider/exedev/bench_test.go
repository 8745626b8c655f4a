package exedev_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev/exedevtest"
)

// BenchmarkCreateAtLimit makes one ship and then 20 at the same time, at a lobby that carries out
// one command after the other, half a second each. What no way leads around is a "new" for each,
// and where lists do not tell who logs in, one question to each machine. The ratio is how much
// longer than that it takes; less than 1 cannot be.
func BenchmarkCreateAtLimit(b *testing.B) {
	const n, latency = 20, 500 * time.Millisecond
	for _, way := range []struct {
		name string
		tell bool
		each int // commands that every machine needs
	}{{"told", true, 1}, {"asked", false, 2}} {
		b.Run(way.name, func(b *testing.B) {
			ctx, cancel := context.WithTimeout(b.Context(), 3*time.Minute)
			defer cancel()
			s := newStage(b, exedevtest.Config{Latency: latency, Boot: 2 * time.Second, TellUser: way.tell})
			p := s.provider()
			makes := func(n int, name string) time.Duration {
				began := time.Now()
				var all sync.WaitGroup
				for i := range n {
					all.Go(func() {
						_, err := p.Create(ctx, provider.Spec{
							Name: fmt.Sprintf("%s%dx", name, i), Labels: map[string]string{"voyage": "v"}, AuthorizedKey: string(ssh.MarshalAuthorizedKey(s.signer.PublicKey())),
						})
						if err != nil {
							b.Error(err)
						}
					})
				}
				all.Wait()
				return time.Since(began)
			}
			for round := range b.N {
				one := makes(1, fmt.Sprintf("one%d", round))
				before := len(s.fake.Said())
				many := makes(n, fmt.Sprintf("many%d", round))
				asked := 0
				for _, line := range s.fake.Said()[before:] {
					if strings.HasPrefix(line, "ls") {
						asked++
					}
				}
				limit := one + time.Duration((n-1)*way.each)*latency
				b.ReportMetric(one.Seconds(), "one-s")
				b.ReportMetric(many.Seconds(), "20-s")
				b.ReportMetric(float64(asked), "lists")
				b.ReportMetric(many.Seconds()/limit.Seconds(), "ratio")
			}
		})
	}
}
