package e2e

import (
	"testing"
	"time"
)

// BenchmarkWatch measures the CPU of a dashboard whose live view shows a ship that prints 200 lines a second.
func BenchmarkWatch(b *testing.B) {
	c := newCaptain(b)
	d := c.sailGated(b, "watch", 1, gatedPlan(1))
	// Between two lines bash reads a pipe that stays empty: sleep would be one more process for each line.
	c.aboard(b, d, "ship-0", "new-window", "-t", "=ship:",
		`exec bash -c 'exec {never}<> <(:); while :; do printf "%s line %d: ok  ocaptain/fleet/helm  0.0%ds\n" "$EPOCHREALTIME" $((n += 1)) $((n % 100)); read -t 0.0045 -u $never; done'`)
	for b.Loop() {
		k := newConsole(b, c, nil, c.program)
		k.until("what the ship prints", shown("● live", "● helm", "ocaptain/fleet/helm"))
		time.Sleep(5 * time.Second) // until the dashboard has done what it does at its start
		before, began := costOf(b, k.cmd.Process.Pid).cpu, time.Now()
		time.Sleep(20 * time.Second) // the time that is measured
		used := costOf(b, k.cmd.Process.Pid).cpu - before
		b.ReportMetric(float64(used.Microseconds())/1000/time.Since(began).Seconds(), "ms/s")
		k.close()
	}
	b.ReportMetric(0, "ns/op")
	busy(b)
}
