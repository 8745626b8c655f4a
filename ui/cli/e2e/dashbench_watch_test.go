package e2e

import (
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"ocaptain/ui/term"
)

// BenchmarkWatch measures the CPU of a dashboard whose live view shows a ship that prints 200 lines a second, and how
// old the picture is before the next takes its place: the time since the ship printed the newest line in it.
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
		var ages []time.Duration
		k.want("nothing", agesOf(&ages))
		time.Sleep(20 * time.Second) // the time that is measured
		used := costOf(b, k.cmd.Process.Pid).cpu - before
		b.ReportMetric(float64(used.Microseconds())/1000/time.Since(began).Seconds(), "ms/s")
		k.close()
		slices.Sort(ages)
		b.ReportMetric(median(ages), "age-p50-ms")
		b.ReportMetric(float64(ages[len(ages)*99/100].Microseconds())/1000, "age-p99-ms")
	}
	b.ReportMetric(0, "ns/op")
	busy(b)
}

// printed matches the time at the start of a line that the ship of BenchmarkWatch prints, in seconds since 1970.
var printed = regexp.MustCompile(`\b(\d{10})\.(\d{6}) line`)

// agesOf returns a scene that never comes. Each time the screen shows newer lines than before, it adds to ages how old
// the newest line of before has become.
func agesOf(ages *[]time.Duration) scene {
	var newest time.Time
	return func(s *term.Screen) bool {
		at := newest
		for _, m := range printed.FindAllStringSubmatch(plain(s), -1) {
			seconds, _ := strconv.ParseInt(m[1], 10, 64)
			micros, _ := strconv.ParseInt(m[2], 10, 64)
			if line := time.Unix(seconds, micros*1000); line.After(at) {
				at = line
			}
		}
		if at.After(newest) {
			if !newest.IsZero() {
				*ages = append(*ages, time.Since(newest))
			}
			newest = at
		}
		return false
	}
}
