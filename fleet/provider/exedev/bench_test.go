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

// BenchmarkCreateAtLimit makes one ship and then 20 at the same time, at a lobby that executes one command after the other. Each command takes
// half a second, and "new" additionally the time that this machine needs to make another, reported as new-s. Every ship needs a "new". After
// these, the last machine has to come up. If lists name the user to log in as, nothing else is needed; if not, one list and one question for each
// machine. Each further command counts against the client: ratio is its time divided by the time for all that, and cannot be less than 1. free-s
// is how long the lobby had no command to execute, including the wait for the last machine.
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
