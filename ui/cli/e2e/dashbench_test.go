package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/summed"
	"ocaptain/ui/cli/clitest"
	"ocaptain/ui/term"
)

// keysEach is how many keys each latency is measured with.
const keysEach = 500

// BenchmarkFirstPaint measures the time from starting ocaptain to a screen with ships and tasks on it, on a voyage of
// 100 ships, 10,000 tasks and 1,000,000 log records, and the time until all records are indexed. bare-ms is the time
// of a command that shows nothing of the voyage.
func BenchmarkFirstPaint(b *testing.B) {
	c := newCaptain(b)
	newLoad(b, c)
	var paint, bare, indexed []time.Duration
	peak := 0.0
	for b.Loop() {
		began := time.Now()
		c.ocaptain("--version")
		bare = append(bare, time.Since(began))

		k := newConsole(b, c, nil, c.program)
		paint = append(paint, k.until("ships and tasks", shown("ship-1 ", "● 6001  Port module")).Sub(k.began))
		indexed = append(indexed, k.until("all records", shown("1,000,000 lines")).Sub(k.began))
		peak = max(peak, memory(b, k.cmd.Process.Pid, "VmHWM"))
		k.close()
	}
	percentiles(b, "paint", paint)
	percentiles(b, "bare", bare)
	percentiles(b, "indexed", indexed)
	b.ReportMetric(peak, "peak-MB")
	b.ReportMetric(0, "ns/op")
	busy(b)
}

// BenchmarkStatus measures "ocaptain status" on a voyage of 100 ships and 1,000 or 10,000 tasks, and a command that shows nothing of the voyage.
func BenchmarkStatus(b *testing.B) {
	c := newCaptain(b)
	l := newLoad(b, c)
	hello, err := api.NewClient(c.hub).Hello(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	board, err := fleet.LoadBoard(l.dir)
	if err != nil {
		b.Fatal(err)
	}
	board.Helm = hello.PID // status then trusts the board on disk
	for _, n := range []int{10_000, 1_000} {
		board.Tasks = board.Tasks[len(board.Tasks)*6/10-n*6/10:][:n] // the tasks that ships work on are among them
		b.Run(fmt.Sprintf("tasks=%d", n), func(b *testing.B) {
			took := map[string][]time.Duration{}
			for b.Loop() {
				for range 20 {
					board.At = time.Now()
					if text, err := board.Encode(); err != nil {
						b.Fatal(err)
					} else if err := summed.Write(l.dir.BoardFile(), text, 0o600); err != nil {
						b.Fatal(err)
					}
					for _, command := range []string{"--version", "status"} {
						began := time.Now()
						if _, _, err := clitest.Run(c.home, c.env, c.program, command); err != nil {
							b.Fatal(err)
						}
						took[command] = append(took[command], time.Since(began))
					}
				}
			}
			percentiles(b, "status", took["status"])
			percentiles(b, "bare", took["--version"])
			b.ReportMetric(0, "ns/op")
			busy(b)
		})
	}
}

// BenchmarkLoad measures the time from a key to the selection of the next row, in each list of the dashboard,
// while 2,000 log lines and two boards a second arrive.
func BenchmarkLoad(b *testing.B) {
	c := newCaptain(b)
	l := newLoad(b, c)
	for b.Loop() {
		k := newConsole(b, c, nil, c.program)
		k.until("the index", shown("1,000,000 lines"))
		stop := l.goOn(b)
		before := costOf(b, k.cmd.Process.Pid)
		began := time.Now()
		for n, pane := range []string{"agents", "tasks", "logs"} {
			percentiles(b, pane, k.walk(fmt.Sprint(n+1)))
		}
		used := costOf(b, k.cmd.Process.Pid).cpu - before.cpu
		b.ReportMetric(float64(used.Milliseconds())/time.Since(began).Seconds(), "cpu-ms/s")
		b.ReportMetric(memory(b, k.cmd.Process.Pid, "VmRSS"), "rss-MB")
		b.ReportMetric(memory(b, k.cmd.Process.Pid, "VmHWM"), "peak-MB")
		stop()
		k.close()
	}
	b.ReportMetric(0, "ns/op")
	busy(b)
}

// walk focuses the pane with a number and moves down and up in it.
func (k *console) walk(number string) []time.Duration {
	k.Helper()
	var b box
	k.on(func(s *term.Screen) { b = boxOf(s, "["+number+"]") })
	footer := map[string]string{"1": "space mark", "2": "enter detail", "3": "enter full screen"}[number]
	k.send(number)
	k.until("the focus on pane "+number, shown(footer))
	step, first := k.step, "j"
	if number == "3" {
		step, first = k.stepInLogs, "k" // the first key stops following the log
	}
	for range b.h / 3 {
		step(b, first)
	}
	var took []time.Duration
	for n := range keysEach {
		breath()
		took = append(took, step(b, []string{"k", "k", "j", "j"}[n%4]))
	}
	return took
}

// step moves the selection to another ship or task.
func (k *console) step(b box, key string) time.Duration {
	k.Helper()
	name := ""
	k.on(func(s *term.Screen) { name = litName(s, b) })
	return k.key(key, "another than "+name, func(s *term.Screen) bool {
		now := litName(s, b)
		return now != "" && now != name
	})
}

// litName returns the name of the selected ship or task.
func litName(s *term.Screen, b box) string {
	row := litRow(s, b)
	if row < 0 {
		return ""
	}
	for _, word := range strings.Fields(across(s, b.y+row, b.x, b.x+20)) {
		if strings.ContainsAny(word, "0123456789") {
			return word
		}
	}
	return ""
}

// stepInLogs moves the selection to another line. Lines may have the same text, but the shown lines do not move.
func (k *console) stepInLogs(b box, key string) time.Duration {
	k.Helper()
	row := 0
	k.on(func(s *term.Screen) { row = litRow(s, b) })
	return k.key(key, fmt.Sprintf("another row than %d", row), func(s *term.Screen) bool {
		now := litRow(s, b)
		return now >= 0 && now != row
	})
}
