package term

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"

	"ocaptain/tasks/eventually"
)

// viewer shows a program's output on a Screen, and keeps the output.
type viewer struct {
	t   testing.TB
	tty *os.File

	mu     sync.Mutex
	screen *Screen
	bytes  []byte
}

// view starts a program and ends it with the test.
func view(t testing.TB, cmd *exec.Cmd, cols, rows int) *viewer {
	t.Helper()
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		t.Fatal(err)
	}
	v := &viewer{t: t, tty: f, screen: New(cols, rows, 100)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		v.read()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = f.Close()
		<-done
	})
	return v
}

func (v *viewer) read() {
	b := make([]byte, 64<<10)
	for {
		n, err := v.tty.Read(b)
		v.mu.Lock()
		_, _ = v.screen.Write(b[:n])
		v.bytes = append(v.bytes, b[:n]...)
		v.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (v *viewer) resize(cols, rows int) {
	v.t.Helper()
	v.mu.Lock()
	v.screen.Resize(cols, rows)
	v.mu.Unlock()
	if err := pty.Setsize(v.tty, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		v.t.Fatal(err)
	}
}

func (v *viewer) press(keys string) {
	v.t.Helper()
	if _, err := v.tty.WriteString(keys); err != nil {
		v.t.Fatal(err)
	}
}

// until waits until the screen shows text.
func (v *viewer) until(text string) {
	v.t.Helper()
	eventually.Succeeds(v.t, fmt.Sprintf("%q is on the screen", text), func() error {
		if shown := v.text(); !strings.Contains(shown, text) {
			return errors.New("the screen is\n" + shown)
		}
		return nil
	})
}

func (v *viewer) text() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var b strings.Builder
	for y := range v.screen.rows {
		for _, g := range v.screen.painted(y) {
			b.WriteRune(g.r)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// take returns the output since the last call.
func (v *viewer) take() []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	b := v.bytes
	v.bytes = nil
	return b
}
