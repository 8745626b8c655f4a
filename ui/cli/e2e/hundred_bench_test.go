package e2e

import (
	"fmt"
	"testing"
	"time"

	"ocaptain/fleet"
)

// hundred is how many ships one helm must handle.
const hundred = 100

// BenchmarkHundredShips measures a helm with 100 ships on this machine, each with its own SSH server, tmux, runner
// and agent: while one works and all others wait for it (waiting), and after the voyage (resting). 10 ms/s are one
// percent of a core.
func BenchmarkHundredShips(b *testing.B) {
	for b.Loop() {
		c := newCaptain(b)
		jobs := gatedPlan(1)
		jobs[1].run = "true"
		began := time.Now()
		d := c.sail(c.plan("hundred", "", passes, jobs), "-n", fmt.Sprint(hundred), "--agent", "script")
		b.ReportMetric(time.Since(began).Seconds(), "fit-out-s")
		board := c.until(d, "99 wait", func(b fleet.Board) bool {
			wait := 0
			for _, s := range b.Ships {
				if s.Task == "" && s.Status.Source == "agent" {
					wait++
				}
			}
			return wait == hundred-1
		})
		c.holds(b, "waiting", board.Helm)
		c.release(b, d, "1")
		c.complete(d)
		c.until(d, "all at rest", func(b fleet.Board) bool {
			for _, s := range b.Ships {
				if s.Status.Word != fleet.Done {
					return false
				}
			}
			return true
		})
		c.holds(b, "resting", board.Helm)
	}
	b.ReportMetric(0, "ns/op")
	busy(b)
}

// holds measures helm for a minute, once it has done what it just had to do.
func (c *captain) holds(b *testing.B, name string, helm int) {
	b.Helper()
	time.Sleep(20 * time.Second)
	before, began := costOf(b, helm).cpu, time.Now()
	time.Sleep(time.Minute) // the time that is measured
	used := costOf(b, helm).cpu - before
	b.ReportMetric(float64(used.Microseconds())/1000/time.Since(began).Seconds(), name+"-helm-ms/s")
	b.ReportMetric(memory(b, helm, "VmRSS"), name+"-rss-MB")
	b.ReportMetric(memory(b, helm, "VmHWM"), name+"-peak-MB")
}
