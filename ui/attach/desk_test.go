package attach_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"go.uber.org/goleak"

	"ocaptain/fleet/link"
	"ocaptain/ui/attach"
	"ocaptain/ui/attach/shiptest"
	emulator "ocaptain/ui/term"
)

func TestMain(m *testing.M) {
	switch l, err := shiptest.Dial(); {
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case l != nil:
		os.Exit(visit(l))
	}
	goleak.VerifyTestMain(m)
}

// visit is a program of its own that attaches to a ship, as the command line does.
func visit(l *link.Link) int {
	cols, rows, err := term.GetSize(os.Stdout.Fd())
	if err == nil {
		var c *attach.Command
		c, err = attach.Open(context.Background(), l, attach.Options{Ship: "ship-0", Type: "xterm-256color", Cols: cols, Rows: rows})
		if err == nil {
			c.SetStdin(os.Stdin)
			c.SetStdout(os.Stdout)
			err = c.Run()
		}
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// echo is an agent that shows what is typed.
const echo = "stty raw -echo; printf 'ready\r\n'; exec cat"

// desk is a captain at a terminal.
type desk struct {
	t      testing.TB
	master *os.File
	tty    *os.File // the program's side
	mu     sync.Mutex
	screen *emulator.Screen
}

func newDesk(t testing.TB, cols, rows int) *desk {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, master: master, tty: tty, screen: emulator.New(cols, rows, 0)}
	d.resize(cols, rows)
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 32<<10)
		for {
			n, err := master.Read(buf)
			d.mu.Lock()
			_, _ = d.screen.Write(buf[:n])
			d.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		tty.Close()
		master.Close()
		<-done
	})
	return d
}

func (d *desk) resize(cols, rows int) {
	d.t.Helper()
	if err := pty.Setsize(d.master, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		d.t.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.screen.Resize(cols, rows)
}

func (d *desk) typeKeys(s string) {
	d.t.Helper()
	if _, err := d.master.WriteString(s); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) shows(text string) {
	d.t.Helper()
	shiptest.Eventually(d.t, "the terminal shows "+text, func() bool { return strings.Contains(d.text(), text) })
}

func (d *desk) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var b []byte
	cols, rows := d.screen.Size()
	for y := range rows {
		b = d.screen.AppendRow(b, y, 0, cols) // what was wrapped is whole again
	}
	return string(b)
}

// state is all that an attach must leave as it found it.
type state struct {
	termios term.State
	modes   emulator.Modes
	cursor  emulator.Cursor
}

func (d *desk) state() state {
	d.t.Helper()
	tio, err := term.GetState(d.tty.Fd())
	if err != nil {
		d.t.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return state{*tio, d.screen.Modes(), d.screen.Cursor()}
}

// isAgain waits until the terminal is as it was.
func (d *desk) isAgain(was state) {
	d.t.Helper()
	shiptest.Eventually(d.t, "the terminal is as it was", func() bool { return d.state() == was })
}

// open attaches to the ship.
func (d *desk) open(ctx context.Context, l *link.Link) *attach.Command {
	d.t.Helper()
	cols, rows := d.screen.Size()
	c, err := attach.Open(ctx, l, attach.Options{Ship: "ship-0", Type: "xterm-256color", Cols: cols, Rows: rows})
	if err != nil {
		d.t.Fatal(err)
	}
	c.SetStdin(d.tty)
	c.SetStdout(d.tty)
	return c
}

// run attaches, and returns how it will have ended.
func (d *desk) run(ctx context.Context, l *link.Link) <-chan error {
	d.t.Helper()
	c := d.open(ctx, l)
	ended := make(chan error, 1)
	go func() { ended <- c.Run() }()
	return ended
}
