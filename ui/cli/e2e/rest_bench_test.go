package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"ocaptain/fleet"
)

// BenchmarkRest measures all processes of ten ships on this machine that rest, and of helm, without a dashboard.
func BenchmarkRest(b *testing.B) {
	for b.Loop() {
		c := newCaptain(b)
		d := c.sail(c.plan("rest", "", passes, []job{{id: "1", subject: "Task 1", run: "true"}}), "-n", "10", "--agent", "script")
		c.complete(d)
		c.until(d, "all at rest", func(b fleet.Board) bool {
			for _, s := range b.Ships {
				if s.Status.Word != fleet.Done {
					return false
				}
			}
			return true
		})
		time.Sleep(time.Minute) // until ages are in minutes
		before, began := map[int]time.Duration{}, time.Now()
		for _, pid := range c.processes() {
			before[pid] = costOf(b, pid).cpu
		}
		time.Sleep(time.Minute) // the time that is measured
		var used time.Duration
		all := c.processes()
		for _, pid := range all {
			used += costOf(b, pid).cpu - before[pid]
		}
		b.ReportMetric(float64(used.Microseconds())/1000/time.Since(began).Seconds(), "ms/s")
		b.ReportMetric(float64(len(all)), "processes")
	}
	b.ReportMetric(0, "ns/op")
	busy(b)
}

// processes lists the processes that were started with something of the captain's home in their arguments or environment.
func (c *captain) processes() (all []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		environ, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if bytes.Contains(append(args, environ...), []byte(c.home+"/")) {
			all = append(all, pid)
		}
	}
	return all
}
