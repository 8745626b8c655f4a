package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// cost is what a process has used since its start.
type cost struct {
	cpu      time.Duration // of all its threads
	reaped   int           // page faults of children that have ended; each program that starts causes some
	children int           // children that live now
}

// costOf reads the cost of a process.
func costOf(t testing.TB, pid int) cost {
	t.Helper()
	var c cost
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	for _, task := range tasks {
		raw, err := os.ReadFile(task + "/schedstat")
		if err != nil {
			continue // the thread has just ended
		}
		var ns int64
		if _, err := fmt.Sscan(string(raw), &ns); err != nil {
			t.Fatalf("%s: %v", task, err)
		}
		c.cpu += time.Duration(ns)
		raw, _ = os.ReadFile(task + "/children")
		c.children += len(strings.Fields(string(raw)))
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	var minor, cminor, major, cmajor int
	_, after, _ := bytes.Cut(raw, []byte(") "))
	fields := strings.Fields(string(after))
	if _, err := fmt.Sscan(strings.Join(fields[7:11], " "), &minor, &cminor, &major, &cmajor); err != nil {
		t.Fatalf("stat of %d: %v", pid, err)
	}
	c.reaped = cminor + cmajor
	return c
}

// memory returns the line of that name in a process's status, in megabytes.
func memory(t testing.TB, pid int, name string) float64 {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var kb float64
		if after, ok := strings.CutPrefix(line, name+":"); ok {
			if _, err := fmt.Sscan(after, &kb); err != nil {
				t.Fatal(err)
			}
			return kb * 1024 / 1e6
		}
	}
	t.Fatalf("no %s of process %d", name, pid)
	return 0
}

// busy reports how many threads of the whole machine wanted to run in the last minute: figures of a machine that
// others use mean little without it.
func busy(b *testing.B) {
	b.Helper()
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		b.Fatal(err)
	}
	var load float64
	if _, err := fmt.Sscan(string(raw), &load); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(load, "load")
}

// percentiles reports the median and the worst of some times.
func percentiles(b *testing.B, name string, took []time.Duration) {
	b.Helper()
	b.ReportMetric(percentile(took, 50), name+"-p50-ms")
	b.ReportMetric(percentile(took, 99), name+"-p99-ms")
}

// percentile returns a percentile of durations, in milliseconds.
func percentile(all []time.Duration, percent int) float64 {
	all = slices.Sorted(slices.Values(all))
	return float64(all[(len(all)-1)*percent/100].Microseconds()) / 1000
}

// breath is the pause before a key. A captain does not type in step with the screen, which changes sixty times a
// second; a key right after a frame would always wait for a whole frame.
func breath() { time.Sleep(time.Duration(rand.IntN(34)) * time.Millisecond) }
