package term

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	xterm "github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"

	"ocaptain/tasks/eventually"
)

// tmux is a private server, which defines the meaning of output.
type tmux struct {
	t      testing.TB
	socket string
}

const (
	testCols = 80
	testRows = 24
)

// newTmux starts a server whose windows have the given size.
func newTmux(t testing.TB, cols, rows int) *tmux {
	t.Helper()
	dir, err := os.MkdirTemp("", "term") // short, for the path of the socket
	if err != nil {
		t.Fatal(err)
	}
	m := &tmux{t, filepath.Join(dir, "s")}
	t.Cleanup(func() {
		_ = m.command("kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	m.run("new-session", "-d", "-s", "s", "-x", fmt.Sprint(cols), "-y", fmt.Sprint(rows), "exec sleep 100000",
		";", "set", "-g", "remain-on-exit", "on",
		";", "set", "-g", "status", "off",
		";", "set", "-g", "default-size", fmt.Sprintf("%dx%d", cols, rows),
		";", "set", "-s", "default-terminal", "tmux-256color",
		";", "set", "-g", "history-limit", "1000")
	return m
}

func (m *tmux) command(args ...string) *exec.Cmd {
	c := exec.Command("tmux", append([]string{"-u", "-S", m.socket, "-f", "/dev/null"}, args...)...)
	c.Env = environment()
	return c
}

// environment returns an environment with a known terminal and UTF-8.
func environment() []string {
	return append(os.Environ(), "TMUX=", "LC_ALL=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh", "ENV=", "LESS=", "HTOPRC=/dev/null")
}

func (m *tmux) run(args ...string) string {
	m.t.Helper()
	var stderr bytes.Buffer
	c := m.command(args...)
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		m.t.Fatalf("tmux %.200q: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// pane is a terminal of the server; the test holds the program's end.
type pane struct {
	m       *tmux
	id      string
	fd      int
	answers []byte // from tmux
}

// panes opens n panes. Their terminals are raw, so that the bytes pass unchanged.
func (m *tmux) panes(n int) []*pane {
	m.t.Helper()
	var args []string
	for range n {
		args = append(args, "new-window", "-d", "-t", "s:", "-P", "-F", "#{pane_id} #{pane_tty}", "stty raw -echo; exec sleep 100000", ";")
	}
	var panes []*pane
	for line := range strings.Lines(m.run(args[:len(args)-1]...)) {
		id, tty, _ := strings.Cut(strings.TrimSpace(line), " ")
		panes = append(panes, m.open(id, tty))
	}
	return panes
}

func (m *tmux) open(id, tty string) *pane {
	m.t.Helper()
	fd, err := unix.Open(tty, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	eventually.Holds(m.t, tty+" is raw", func() bool { return raw(m.t, fd) })
	return &pane{m: m, id: id, fd: fd}
}

// raw reports whether a terminal passes all bytes unchanged.
func raw(t testing.TB, fd int) bool {
	t.Helper()
	state, err := xterm.GetState(uintptr(fd))
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&(unix.ICANON|unix.ECHO) == 0 && state.Oflag&unix.OPOST == 0
}

// close ends the pane's window.
func (p *pane) close() { _ = unix.Close(p.fd) }

// quiet ends any unfinished sequence.
const quiet = "\x1b\\\x1b\\"

// feed writes data to the pane and returns once tmux has read all of it, with the cursor as tmux
// reports it. It ends sequences that data leaves open, and returns all that it wrote. data must not
// ask for a cursor report itself.
func (p *pane) feed(data []byte) (wrote []byte, x, y int) {
	p.m.t.Helper()
	wrote = append(bytes.Clone(data), quiet+"\x1b[6n"...)
	p.answers = p.answers[:0]
	rest := wrote
	ctx, cancel := eventually.WithPatience(p.m.t.Context())
	defer cancel()
	for ctx.Err() == nil {
		rest = p.exchange(rest)
		if len(rest) == 0 {
			if x, y, ok := report(p.answers); ok {
				return wrote, x, y
			}
		}
	}
	p.m.t.Fatalf("tmux answered %q to %.300q", p.answers, data)
	return nil, 0, 0
}

// exchange writes some of rest, reads what is available, and returns what is left to write.
func (p *pane) exchange(rest []byte) []byte {
	p.m.t.Helper()
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}
	if len(rest) > 0 {
		fds[0].Events |= unix.POLLOUT
	}
	if _, err := unix.Poll(fds, 1000); err != nil && !errors.Is(err, unix.EINTR) {
		p.m.t.Fatal(err)
	}
	if fds[0].Revents&unix.POLLOUT != 0 && len(rest) > 0 {
		n, err := unix.Write(p.fd, rest[:min(len(rest), 4096)])
		if err != nil && !errors.Is(err, unix.EAGAIN) {
			p.m.t.Fatal(err)
		}
		rest = rest[max(0, n):]
	}
	if fds[0].Revents&unix.POLLIN != 0 {
		var b [4096]byte
		n, err := unix.Read(p.fd, b[:])
		if err != nil && !errors.Is(err, unix.EAGAIN) {
			p.m.t.Fatal(err)
		}
		p.answers = append(p.answers, b[:max(0, n)]...)
	}
	return rest
}

// report parses the cursor report at the end of b.
func report(b []byte) (x, y int, ok bool) {
	i := bytes.LastIndex(b, []byte("\x1b["))
	if i < 0 || b[len(b)-1] != 'R' {
		return 0, 0, false
	}
	if _, err := fmt.Sscanf(string(b[i:]), "\x1b[%d;%dR", &y, &x); err != nil {
		return 0, 0, false
	}
	return x - 1, y - 1, true
}
