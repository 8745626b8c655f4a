package attach_test

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/creack/pty"

	"ocaptain/ui/attach/shiptest"
)

// BenchmarkKey measures the time from a key to its echo on the captain's terminal, and compares it
// with plain ssh -t and tmux attach on the same server, with keys in turn. Run it with -benchtime
// 5000x -count 5.
func BenchmarkKey(b *testing.B) {
	s := shiptest.Start(b, echo)
	s.Tmux("new-session", "-d", "-s", "plain", "-x", "80", "-y", "24", echo)
	var ttys [2]*os.File
	for i, cmd := range []*exec.Cmd{exec.Command(os.Args[0]), s.SSH("-tt", "tmux -L ocaptain -u attach-session -t =plain")} {
		cmd.Env = append(os.Environ(), "TERM=xterm-256color")
		if i == 0 {
			cmd.Env = append(cmd.Env, s.Env())
		}
		tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 80, Rows: 24})
		if err != nil {
			b.Fatal(err)
		}
		defer func() {
			tty.Close()
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}()
		ttys[i] = tty
	}
	for _, tty := range ttys {
		await(b, tty, "ready")
		for range 20 {
			key(b, tty, 'w')
		}
	}
	var took [2][]time.Duration
	i := 0
	for b.Loop() {
		k := byte('a' + i%26)
		for j := range 2 {
			which := (i + j) % 2
			took[which] = append(took[which], key(b, ttys[which], k))
		}
		i++
	}
	for i, name := range []string{"attach", "ssh"} {
		slices.Sort(took[i])
		b.ReportMetric(float64(at(took[i], 50).Microseconds()), name+"-p50-µs")
		b.ReportMetric(float64(at(took[i], 99).Microseconds()), name+"-p99-µs")
	}
	b.ReportMetric(float64(at(took[0], 50))/float64(at(took[1], 50)), "p50-ratio")
	b.ReportMetric(float64(at(took[0], 99))/float64(at(took[1], 99)), "p99-ratio")
	b.ReportMetric(0, "ns/op")
}

func at(d []time.Duration, percent int) time.Duration { return d[(len(d)-1)*percent/100] }

// key types a key and waits for its echo.
func key(b *testing.B, tty *os.File, k byte) time.Duration {
	start := time.Now()
	if _, err := tty.Write([]byte{k}); err != nil {
		b.Fatal(err)
	}
	await(b, tty, string(k))
	return time.Since(start)
}

func await(b *testing.B, tty *os.File, text string) {
	var seen []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(seen, []byte(text)) {
		n, err := tty.Read(buf)
		if err != nil {
			b.Fatal(err)
		}
		seen = append(seen, buf[:n]...)
	}
}
