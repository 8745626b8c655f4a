package attach_test

import (
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"ocaptain/ui/attach/shiptest"
	emulator "ocaptain/ui/term"
)

// BenchmarkFar measures the time from a key to its sight at a ship that is 150 ms away there and back, in an attached ship, in plain ssh -t with
// tmux attach, and in mosh (package mosh). Typed are lines of words; the first three keys of each line, before which no echo was seen, are not
// counted. Run it with -benchtime 10x, which types ten lines.
func BenchmarkFar(b *testing.B) {
	const agent = "echo ready; exec cat"
	const away = 75 * time.Millisecond
	s := shiptest.Start(b, agent)
	s.Tmux("new-session", "-d", "-s", "plain", "-x", "80", "-y", "24", agent)
	s.Away(away)
	attach := exec.Command(os.Args[0])
	attach.Env = append(os.Environ(), s.Env())
	ttys := map[string]*typist{
		"attach": newTypist(b, attach),
		"ssh":    newTypist(b, s.SSH("-tt", "tmux -L ocaptain -u attach-session -t =plain")),
		"mosh":   newTypist(b, mosh(b, agent, away)),
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for name, t := range ttys {
			took[name] = append(took[name], t.line("a few words for it to do")[3:]...)
		}
	}
	for name, all := range took {
		slices.Sort(all)
		b.ReportMetric(float64(at(all, 50).Microseconds())/1000, name+"-p50-ms")
		b.ReportMetric(float64(at(all, 90).Microseconds())/1000, name+"-p90-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// mosh starts a mosh server and returns the command of its client, so far away.
func mosh(b *testing.B, agent string, away time.Duration) *exec.Cmd {
	b.Helper()
	server := exec.Command("mosh-server", "new", "-i", "127.0.0.1", "--", "sh", "-c", agent)
	server.Env = append(os.Environ(), "LANG=C.UTF-8", "TERM=xterm-256color")
	out, err := server.CombinedOutput()
	port := regexp.MustCompile(`MOSH CONNECT (\d+) (\S+)`).FindSubmatch(out)
	pid := regexp.MustCompile(`pid = (\d+)`).FindSubmatch(out)
	if err != nil || port == nil || pid == nil {
		b.Fatalf("mosh-server (package mosh): %v: %s", err, out)
	}
	b.Cleanup(func() { _ = exec.Command("kill", string(pid[1])).Run() })
	host, relay, err := net.SplitHostPort(shiptest.LatePackets(b, "127.0.0.1:"+string(port[1]), away))
	if err != nil {
		b.Fatal(err)
	}
	client := exec.Command("mosh-client", host, relay)
	client.Env = append(os.Environ(), "MOSH_KEY="+string(port[2]), "LANG=C.UTF-8", "TERM=xterm-256color")
	return client
}

// typist types at a terminal and watches it.
type typist struct {
	b      *testing.B
	tty    *os.File
	screen *emulator.Screen
}

func newTypist(b *testing.B, cmd *exec.Cmd) *typist {
	b.Helper()
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 80, Rows: 24})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		tty.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t := &typist{b, tty, emulator.New(80, 24, 0)}
	t.until(func() bool {
		return slices.ContainsFunc(t.rows(), func(r string) bool { return strings.Contains(r, "ready") })
	})
	t.until(func() bool { return t.screen.Cursor().X == 0 })
	return t
}

// line types a line, waits for the sight of each key, and then for the program's answer. It returns how long each key took.
func (t *typist) line(text string) (took []time.Duration) {
	row := t.screen.Cursor().Y
	for i := range len(text) {
		time.Sleep(20 * time.Millisecond) // a fast typist
		began := time.Now()
		t.send(text[i : i+1])
		t.until(func() bool { return t.screen.Cursor().X == i+1 && t.screen.CellAt(i, row).Text == text[i:i+1] })
		took = append(took, time.Since(began))
	}
	t.send("\r")
	t.until(func() bool { // the echo and the answer
		y := t.screen.Cursor().Y
		return t.screen.Cursor().X == 0 && y > 0 && t.rows()[y-1] == text && (y > row+1 || row > 20 && y == 23 && t.rows()[y-2] == text)
	})
	return took
}

func (t *typist) send(keys string) {
	if _, err := t.tty.Write([]byte(keys)); err != nil {
		t.b.Fatal(err)
	}
}

// until reads output until the screen is as it should be.
func (t *typist) until(is func() bool) {
	t.b.Helper()
	buf := make([]byte, 32<<10)
	for !is() {
		n, err := t.tty.Read(buf)
		if err != nil {
			t.b.Fatalf("%v:\n%s", err, strings.Join(t.rows(), "\n"))
		}
		_, _ = t.screen.Write(buf[:n])
	}
}

func (t *typist) rows() (rows []string) {
	for y := range 24 {
		var row strings.Builder
		for x := range 80 {
			row.WriteString(t.screen.CellAt(x, y).Text)
		}
		rows = append(rows, strings.TrimRight(row.String(), " "))
	}
	return rows
}
