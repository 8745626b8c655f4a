package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/term"
)

// desk is a terminal that the test emulates: it sees every byte, and when each byte came.
type desk struct {
	testing.TB
	master *os.File
	cmd    *exec.Cmd
	ended  chan struct{} // closed when the program has ended and the screen shows all of its output

	mu     sync.Mutex
	raw    []byte
	screen *term.Screen
	news   chan struct{} // holds a token when the screen has changed
}

// newDesk runs ocaptain on a terminal of that size, and ends it with the test.
func newDesk(t testing.TB, c *captain, cols, rows int, args ...string) *desk {
	t.Helper()
	d := &desk{TB: t, cmd: exec.Command(c.program, args...), ended: make(chan struct{}), screen: term.New(cols, rows, 0), news: make(chan struct{}, 1)}
	for _, kv := range c.env {
		if !strings.HasPrefix(kv, "NO_COLOR=") {
			d.cmd.Env = append(d.cmd.Env, kv)
		}
	}
	d.cmd.Dir = c.home
	var err error
	if d.master, err = pty.StartWithSize(d.cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 64<<10)
		for {
			n, err := d.master.Read(buf)
			d.mu.Lock()
			d.raw = append(d.raw, buf[:n]...)
			_, _ = d.screen.Write(buf[:n])
			d.mu.Unlock()
			select {
			case d.news <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		defer close(d.ended)
		_ = d.cmd.Wait() // its exit code is in its ProcessState
		<-read
	}()
	t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		_ = d.master.Close()
		d.mu.Lock()
		defer d.mu.Unlock()
		c.scan.text("what the terminal of ocaptain "+strings.Join(args, " ")+" shows", d.raw)
	})
	return d
}

// look reads the screen.
func (d *desk) look() view {
	d.mu.Lock()
	defer d.mu.Unlock()
	return view{plain(d.screen), d.screen}
}

// shows reports whether the screen shows something now.
func (d *desk) shows(s sight) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return s(view{plain(d.screen), d.screen})
}

// see waits until the screen shows something.
func (d *desk) see(what string, s sight) {
	d.Helper()
	ctx, cancel := eventually.WithPatience(d.Context())
	defer cancel()
	for !d.shows(s) {
		select {
		case <-d.news:
		case <-ctx.Done():
			d.Fatalf("the screen does not show %s: %v; it shows:\n%s", what, context.Cause(ctx), d.look().text)
		}
	}
}

// enter types keys.
func (d *desk) enter(keys string) {
	d.Helper()
	if _, err := d.master.WriteString(keys); err != nil {
		d.Fatal(err)
	}
}

// exit waits until the program has ended and returns its exit code.
func (d *desk) exit() int {
	d.Helper()
	select {
	case <-d.ended:
	case <-eventually.Context(d).Done():
		d.Fatalf("it has not ended; the screen shows:\n%s", d.look().text)
	}
	return d.cmd.ProcessState.ExitCode()
}

// written returns everything that the program has written to the terminal, the terminal's modes, and the state of its
// line.
func (d *desk) written() ([]byte, term.Modes, string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.raw), d.screen.Modes(), d.screen.Title()
}

// delays are the times that keys took to show on the screen.
type delays []time.Duration

func (l delays) at(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(l))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func (l delays) String() string {
	return fmt.Sprintf("p50 %s, p99 %s of %d keys", l.at(0.5).Round(100*time.Microsecond), l.at(0.99).Round(100*time.Microsecond), len(l))
}

// upAndDown moves the selection between the first two rows of the tasks and measures how long each key takes to show.
func (d *desk) upAndDown(n int, first, second string) delays {
	d.Helper()
	var all delays
	for i := range n {
		key, row := "j", second
		if i%2 == 1 {
			key, row = "k", first
		}
		began := time.Now()
		d.enter(key)
		d.see(row+" selected after "+key, lit(row))
		all = append(all, time.Since(began))
	}
	return all
}

// leaks lists the sequences in raw that no ship may send to a terminal.
func leaks(raw []byte) []string {
	var found []string
	for what, sequence := range map[string]string{
		"the clipboard": "\x1b]52", "a device control string": "\x1bP", "a privacy message": "\x1b^", "an application command": "\x1b_",
		"a title of the ship": "HOSTILE TITLE", "all mouse moves": "\x1b[?1003h", "a reset": "\x1bc", "the ship's link": "hostile.example",
		"a huge count": "99999999",
	} {
		if bytes.Contains(raw, []byte(sequence)) {
			found = append(found, what)
		}
	}
	return found
}
