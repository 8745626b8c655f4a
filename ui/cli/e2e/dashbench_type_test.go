package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/ui/term/sgr"

	"ocaptain/fleet/proctest"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/term"
)

// BenchmarkType measures the time from a key that is typed in the live view to its echo on the captain's screen. The
// ship runs a program that echoes.
func BenchmarkType(b *testing.B) {
	c := newCaptain(b)
	d := c.sailGated(b, "type", 1, gatedPlan(1))
	c.aboard(b, d, "ship-0", "new-window", "-t", "=ship:", "stty raw -echo; exec cat")
	for b.Loop() {
		k := newConsole(b, c, nil, c.program)
		k.until("a live view", shown("● live", "● helm"))
		k.send("i")
		k.until("that keys go to the ship", shown("● LIVE ship-0"))
		const mark = "begin:"
		k.send(mark)
		x, y := 0, 0
		k.until("the echo", func(s *term.Screen) bool {
			x, y = find(s, mark)
			return y >= 0
		})
		var took []time.Duration
		for n := range keysEach {
			if n%60 == 0 {
				k.send("\r") // the cursor returns to the start of the line, and the next keys overwrite it
			}
			breath()
			letter, at := string(rune('a'+n*7%26)), x+n%60
			if n%60 == 0 {
				letter = strings.ToUpper(letter) // so that the letter differs from the one that it overwrites
			}
			took = append(took, k.key(letter, "its echo", func(s *term.Screen) bool { return s.CellAt(at, y).Text == letter }))
		}
		percentiles(b, "type", took)
		k.send("\r")
		k.close()
	}
	b.ReportMetric(0, "ns/op")
	busy(b)
}

// find returns where a text begins on the screen; y is -1 when the text is not there.
func find(s *term.Screen, text string) (x, y int) {
	cols, rows := s.Size()
	for y := range rows {
		row := across(s, y, 0, cols)
		if at := strings.Index(row, text); at >= 0 {
			return len([]rune(row[:at])), y
		}
	}
	return 0, -1
}

// BenchmarkFlood measures the time from a key to the selected tile on a wall of four ships, alternately while one of
// them floods its terminal and while it does not.
func BenchmarkFlood(b *testing.B) {
	c := newCaptain(b)
	d := c.sailGated(b, "flood", 4, gatedPlan(4))
	// tmux resumes its own program when that was stopped, but not a child of the program.
	c.aboard(b, d, "ship-3", "new-window", "-t", "=ship:", "seq -f 'flood %.0f' 1000000000000; true")
	flood := c.process(b, filepath.Join(c.hub.State, "ships"), "seq")
	for b.Loop() {
		k := newConsole(b, c, nil, c.program)
		k.until("a live view", shown("● live", "● helm"))
		k.send("o")
		k.until("the wall", func(s *term.Screen) bool {
			return shown("flood", "at the gate of")(s) && strings.Count(plain(s), "─ ship-") == 4
		})
		var took [2][]time.Duration
		var used [2]time.Duration
		for round := range 10 {
			calm := round % 2
			if err := syscall.Kill(flood, []syscall.Signal{syscall.SIGCONT, syscall.SIGSTOP}[calm]); err != nil {
				b.Fatal(err)
			}
			before := costOf(b, k.cmd.Process.Pid).cpu
			began := time.Now()
			took[calm] = append(took[calm], k.tiles(keysEach/5)...)
			used[calm] += (costOf(b, k.cmd.Process.Pid).cpu - before) * 1000 / time.Since(began)
		}
		percentiles(b, "flood", took[0])
		percentiles(b, "calm", took[1])
		b.ReportMetric(percentile(took[0], 50)/percentile(took[1], 50), "p50-ratio")
		b.ReportMetric(percentile(took[0], 99)/percentile(took[1], 99), "p99-ratio")
		b.ReportMetric(float64(used[0])/5, "flood-cpu-ms/s")
		b.ReportMetric(float64(used[1])/5, "calm-cpu-ms/s")
		k.close()
	}
	_ = syscall.Kill(flood, syscall.SIGCONT)
	b.ReportMetric(0, "ns/op")
	busy(b)
}

// tiles moves the selection right and left on the wall n times.
func (k *console) tiles(n int) []time.Duration {
	k.Helper()
	var took []time.Duration
	for i := range n {
		breath()
		key, next := "l", "ship-1"
		if i%2 > 0 {
			key, next = "h", "ship-0"
		}
		took = append(took, k.key(key, next, boldTitle(next)))
	}
	return took
}

// boldTitle returns a scene in which a tile is selected.
func boldTitle(name string) scene {
	return func(s *term.Screen) bool {
		x, y := find(s, "─ "+name+" ")
		return y >= 0 && s.CellAt(x+2, y).Style.Attrs&sgr.Bold != 0
	}
}

// process returns the process that runs a program for a ship.
func (c *captain) process(t testing.TB, dir, name string) (pid int) {
	t.Helper()
	eventually.Holds(t, "somebody runs "+name, func() bool {
		return slices.ContainsFunc(proctest.With(dir), func(p string) bool {
			var argv0 string
			_, err := fmt.Sscan(p, &pid, &argv0)
			return err == nil && argv0 == name && pid != os.Getpid()
		})
	})
	return pid
}
