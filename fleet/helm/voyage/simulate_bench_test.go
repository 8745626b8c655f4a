package voyage

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet/helm/helmtest"
)

// BenchmarkWorkers has 1 and 20 workers do tasks of 15 s, whose reviews by four validators take a tenth of that, and compares how many get
// to the branch in a second. Agents sleep through theirs, so that the hub has the machine.
func BenchmarkWorkers(b *testing.B) {
	for b.Loop() {
		one, all := throughput(b, 1, 15*time.Second), throughput(b, 20, 15*time.Second)
		b.ReportMetric(one, "tasks/s-of-1")
		b.ReportMetric(all, "tasks/s-of-20")
		b.ReportMetric(all/one, "x")
	}
}

// BenchmarkSaturation shows with how many workers a hub saturates: their tasks take 10 s, and four validators review each in 1 s. It reports how
// many tasks get to the branch in a second, and the CPU time of the hub and all its programs for each, trees of ships included.
func BenchmarkSaturation(b *testing.B) {
	for _, workers := range []int{10, 25, 50, 100} {
		b.Run(fmt.Sprint(workers, "-workers"), func(b *testing.B) {
			for b.Loop() {
				before := cpuTime(b)
				begun := time.Now()
				got := throughput(b, workers, 10*time.Second)
				used, tasks := cpuTime(b)-before, got*time.Since(begun).Seconds()
				b.ReportMetric(got, "tasks/s")
				b.ReportMetric(used.Seconds()/tasks, "cpu-s/task")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// throughput is how many tasks get to the branch in a second, each worker doing six.
func throughput(b *testing.B, workers int, work time.Duration) float64 {
	m := &simulation{epics: 2, parts: 3 * workers, workers: workers, validators: 4, work: work, t: b, home: helmtest.Hub(b).Home}
	m.create()
	begun := time.Now()
	m.run()
	return float64(m.epics*m.parts) / time.Since(begun).Seconds()
}

// cpuTime is what this process and the programs that it has awaited have used.
func cpuTime(b *testing.B) (all time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if err := syscall.Getrusage(who, &used); err != nil {
			b.Fatal(err)
		}
		all += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return all
}
