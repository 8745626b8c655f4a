package term

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpu returns the processor time this process has used.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchmarkWrite reports the rate per processor second, as wall time includes the work of other
// programs.
func benchmarkWrite(b *testing.B, cols, rows, history int, data []byte) {
	b.Helper()
	s := New(cols, rows, history)
	b.SetBytes(int64(len(data)))
	before := cpu(b)
	for b.Loop() {
		for part := range chunks(data, 32<<10) {
			_, _ = s.Write(part)
		}
	}
	used := cpu(b) - before
	b.ReportMetric(float64(len(data))*float64(b.N)/1e6/used.Seconds(), "MB/cpu-s")
}

// chunks yields data in pieces of the size that a connection delivers.
func chunks(data []byte, n int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for rest := data; len(rest) > 0; {
			m := min(n, len(rest))
			if !yield(rest[:m]) {
				return
			}
			rest = rest[m:]
		}
	}
}

func utf8Text() string {
	return strings.Repeat("日本語テキスト 中文 한국어 — “quoted” é e\u0301 naïve 😀 👍🏽 ❤️ ┌──┐ █▓▒░ русский текст\r\n", 2000)
}

// BenchmarkWrite writes the output of programs.
func BenchmarkWrite(b *testing.B) {
	for _, c := range []struct{ name, data string }{
		{"plain", strings.Repeat("the quick brown fox jumps over the lazy dog, again and again\r\n", 3000)},
		{"utf8", utf8Text()},
		{"log", strings.ReplaceAll(logText(2000), "\n", "\r\n")},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkWrite(b, 80, 24, 1000, []byte(c.data)) })
	}
}

// BenchmarkAttach writes what tmux attach sends while programs run.
func BenchmarkAttach(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		for name, data := range attached(b, size[0], size[1]) {
			b.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(b *testing.B) {
				benchmarkWrite(b, size[0], size[1], 0, data)
			})
		}
	}
}

// attached records clients of panes that show the texts of BenchmarkWrite, and htop.
func attached(b *testing.B, cols, rows int) map[string][]byte {
	b.Helper()
	m := newTmux(b, cols, rows)
	c := m.attach(cols, rows)
	streams := map[string][]byte{}
	for name, data := range map[string]string{
		"plain": strings.Repeat("the quick brown fox jumps over the lazy dog, again and again\r\n", 1000),
		"utf8":  utf8Text()[:60_000],
		"log":   strings.ReplaceAll(logText(1000), "\n", "\r\n"),
	} {
		p := m.panes(1)[0]
		m.run("select-window", "-t", p.id)
		c.take()
		for part := range chunks([]byte(data), 1000) {
			p.feed(part)
		}
		p.feed([]byte("\x1b[Hwritten"))
		c.until("written")
		streams[name] = c.take()
		p.close()
	}
	id := strings.TrimSpace(m.run("new-window", "-t", "s:", "-P", "-F", "#{pane_id}", "htop", "-d", "1"))
	c.until("PID")
	for range 40 {
		m.run("send-keys", "-t", id, "t")
		c.until("F1")
		m.run("send-keys", "-t", id, "h")
		c.until("htop 3")
		m.run("send-keys", "-t", id, "q")
		c.until("PID")
	}
	streams["htop"] = c.take()
	m.run("kill-server")
	return streams
}

func BenchmarkAppendRow(b *testing.B) {
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		for _, c := range []struct{ name, data string }{
			{"plain", strings.Repeat("x", size[0]*size[1])},
			{"log", strings.ReplaceAll(logText(size[1]-1), "\n", "\r\n")},
			{"utf8", strings.Repeat("日本語 é e\u0301 😀 👍🏽 ❤️ ┌──┐ ", size[0]*size[1]/32)},
			{"styles", strings.Repeat("\x1b[31ma\x1b[1;42mb\x1b[0;4mc\x1b[38;2;1;2;3md", size[0]*size[1]/4)},
		} {
			b.Run(fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1]), func(b *testing.B) {
				s := New(size[0], size[1], 0)
				write(s, c.data)
				var buf []byte
				before := cpu(b)
				for b.Loop() {
					for y := range size[1] {
						buf = s.AppendRow(buf[:0], y, 0, size[0])
					}
				}
				b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/1e3/float64(b.N), "cpu-us/screen")
			})
		}
	}
}

// BenchmarkMemory reports the memory of an empty screen, and of a screen with 10,000 rows of
// scrollback.
func BenchmarkMemory(b *testing.B) {
	log := bytes.Repeat([]byte(strings.ReplaceAll(logText(1000), "\n", "\r\n")), 20)
	for name, fill := range map[string][]byte{"empty": nil, "scrollback": log} {
		b.Run(name, func(b *testing.B) {
			var kept, rows int
			for b.Loop() {
				before := heap()
				s := New(80, 24, 10_000)
				_, _ = s.Write(fill)
				kept = heap() - before
				rows = s.History() // keeps s until here
			}
			b.ReportMetric(float64(kept)/1e3, "kB")
			b.ReportMetric(float64(rows), "rows")
		})
	}
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
