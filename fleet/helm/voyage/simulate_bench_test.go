package voyage

import (
	"testing"
	"time"

	"ocaptain/fleet/helm/helmtest"
)

// BenchmarkWorkers has 1 and 20 workers do tasks of 15 s, whose reviews by four validators take a tenth of that, and compares how many get
// to the branch in a second. Agents sleep through theirs, so that the hub has the machine.
func BenchmarkWorkers(b *testing.B) {
	for b.Loop() {
		one, all := throughput(b, 1), throughput(b, 20)
		b.ReportMetric(one, "tasks/s-of-1")
		b.ReportMetric(all, "tasks/s-of-20")
		b.ReportMetric(all/one, "x")
	}
}

// throughput is how many tasks get to the branch in a second, each worker doing six.
func throughput(b *testing.B, workers int) float64 {
	m := &simulation{epics: 2, parts: 3 * workers, workers: workers, validators: 4, work: 15 * time.Second, t: b, home: helmtest.Hub(b).Home}
	m.create()
	begun := time.Now()
	m.run()
	return float64(m.epics*m.parts) / time.Since(begun).Seconds()
}
