package e2e

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"ocaptain/tasks/eventually"
	"ocaptain/ui/term"
)

// console is a terminal of 200 by 50 cells with a program on it. The emulator that reads the program's output costs
// little beside the program, and knows at which read the screen showed something.
type console struct {
	testing.TB
	cmd   *exec.Cmd
	tty   *os.File
	began time.Time

	mu     sync.Mutex
	screen *term.Screen
	bytes  int
	wanted scene          // nil when nobody waits
	seen   chan time.Time // gets the time at which the screen showed the wanted scene
	ended  chan struct{}  // closed when the program has ended
}

// scene reports whether a console shows something.
type scene func(*term.Screen) bool

// newConsole starts a program of a captain, and ends it at the end of the benchmark.
func newConsole(t testing.TB, c *captain, env []string, argv ...string) *console {
	t.Helper()
	k := &console{TB: t, cmd: exec.Command(argv[0], argv[1:]...), screen: term.New(200, 50, 0), seen: make(chan time.Time, 1), ended: make(chan struct{})}
	k.cmd.Dir = c.home
	for _, kv := range append(c.env, env...) {
		if !strings.HasPrefix(kv, "NO_COLOR=") {
			k.cmd.Env = append(k.cmd.Env, kv)
		}
	}
	k.cmd.Env = append(k.cmd.Env, "COLORTERM=truecolor")
	var err error
	k.began = time.Now()
	if k.tty, err = pty.StartWithSize(k.cmd, &pty.Winsize{Cols: 200, Rows: 50}); err != nil {
		t.Fatal(err)
	}
	go k.read()
	t.Cleanup(k.close)
	return k
}

// read takes what the program writes.
func (k *console) read() {
	defer close(k.ended)
	buf := make([]byte, 64<<10)
	for {
		n, err := k.tty.Read(buf)
		at := time.Now()
		k.mu.Lock()
		_, _ = k.screen.Write(buf[:n])
		k.bytes += n
		if k.wanted != nil && k.wanted(k.screen) {
			k.wanted = nil
			k.seen <- at
		}
		k.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// close leaves the ship that gets the keys, and ends the program.
func (k *console) close() {
	if k.cmd.ProcessState != nil {
		return
	}
	k.send("\x11\x03")
	ctx, cancel := eventually.WithPatience(context.Background())
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		k.Errorf("%s did not end", k.cmd.Args[0])
		_ = k.cmd.Process.Kill()
	})()
	_ = k.cmd.Wait()
	<-k.ended
	_ = k.tty.Close()
}

// want makes the console watch for a scene that it does not show yet.
func (k *console) want(what string, s scene) {
	k.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if s(k.screen) {
		k.Fatalf("%s: it is there already:\n%s", what, plain(k.screen))
	}
	k.wanted = s
}

// wait returns the time at which the console showed the wanted scene.
func (k *console) wait(what string) time.Time {
	k.Helper()
	ctx, cancel := eventually.WithPatience(context.Background())
	defer cancel()
	select {
	case at := <-k.seen:
		return at
	case <-ctx.Done():
		k.mu.Lock()
		defer k.mu.Unlock()
		k.Fatalf("%s: %v; the screen is\n%s", what, context.Cause(ctx), plain(k.screen))
		return time.Time{}
	}
}

// until waits for a scene that the console may show already, and returns when the scene was seen.
func (k *console) until(what string, s scene) time.Time {
	k.Helper()
	k.mu.Lock()
	if s(k.screen) {
		k.mu.Unlock()
		return time.Now()
	}
	k.wanted = s
	k.mu.Unlock()
	return k.wait(what)
}

// send types keys.
func (k *console) send(keys string) {
	k.Helper()
	if _, err := k.tty.WriteString(keys); err != nil {
		k.Fatal(err)
	}
}

// key types keys and returns how long it took until the console showed their effect.
func (k *console) key(keys, what string, s scene) time.Duration {
	k.Helper()
	k.want(what, s)
	began := time.Now()
	k.send(keys)
	return k.wait(what + " after " + keys).Sub(began)
}

// written returns how many bytes the program has written.
func (k *console) written() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.bytes
}

// on calls f while the screen does not change.
func (k *console) on(f func(*term.Screen)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f(k.screen)
}
