package exedev_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/tasks/eventually"
)

// BenchmarkCreateAtLimit makes one ship and then 20 at the same time, at a lobby that carries out
// one command after the other. A command takes it half a second, and "new" as much longer as this
// machine needs to make another, which is told as new-s. No way leads around a "new" for each ship.
// After these the last machine has to come up, where lists tell who logs in; where they do not, it
// takes a list and one question to each; more than that counts against the client. The ratio is how much longer than all that it takes; less than 1
// cannot be. The lobby is left without a command for free-s, waiting for the last machine included.
func BenchmarkCreateAtLimit(b *testing.B) {
	const n, latency, boot = 20, 500 * time.Millisecond, 2 * time.Second
	for _, way := range []struct {
		name string
		tell bool
	}{{"told", true}, {"asked", false}} {
		b.Run(way.name, func(b *testing.B) {
			ctx := eventually.Context(b)
			s := newStage(b, exedevtest.Config{Latency: latency, Boot: boot, TellUser: way.tell})
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
				work := func() [3]exedevtest.Work {
					return [3]exedevtest.Work{s.fake.Work("new"), s.fake.Work("ls"), s.fake.Work("ssh")}
				}
				before := work()
				many := makes(n, fmt.Sprintf("many%d", round))
				after := work()
				news, lists, asks := after[0].Sub(before[0]), after[1].Sub(before[1]), after[2].Sub(before[2])
				limit := n*news.Each() + boot
				if !way.tell {
					limit = n*news.Each() + latency + n*asks.Each()
				}
				b.ReportMetric(one.Seconds(), "one-s")
				b.ReportMetric(many.Seconds(), "20-s")
				b.ReportMetric(news.Each().Seconds(), "new-s")
				b.ReportMetric(float64(lists.Commands), "lists")
				b.ReportMetric(float64(asks.Commands), "questions")
				b.ReportMetric((many - news.Took - lists.Took - asks.Took).Seconds(), "free-s")
				b.ReportMetric(many.Seconds()/limit.Seconds(), "ratio")
			}
		})
	}
}
