package attach_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"go.uber.org/goleak"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach"
	"ocaptain/ui/attach/shiptest"
	emulator "ocaptain/ui/term"
	"ocaptain/ui/term/predict"
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

// visit is the program that attaches to a ship, as the command line does.
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

// echo is an agent that echoes what is typed.
const echo = "stty raw -echo; printf 'ready\r\n'; exec cat"

// desk is a captain at a terminal.
type desk struct {
	t      testing.TB
	master *os.File
	tty    *os.File // the program's end of the terminal
	mu     sync.Mutex
	screen *emulator.Screen
	asked  []byte // the end of the output, which may begin a question
	silent bool   // keep answers until hold(false) releases them
	kept   string
	output []byte // all that the terminal got

	predict predict.Mode
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
			d.output = append(d.output, buf[:n]...)
			d.answer(buf[:n])
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

// Questions to a terminal.
var questions = regexp.MustCompile(`\x05|\x1b\[[>?]?[0-9;]*\$?[cnqpt]|\x1b\]1?[0-9];(?:[0-9];)?\?(?:\a|\x1b\\)|\x1bP\+q[^\x1b]*\x1b\\`)

var answers = map[string]string{
	"\x05": "answerback", "\x1b[5n": "\x1b[0n", "\x1b[6n": "\x1b[12;40R", "\x1b[c": "\x1b[?62;22c", "\x1b[>c": "\x1b[>41;354;0c", "\x1b[>q": "\x1bP>|XTerm(354)\x1b\\",
	"\x1b[21t": "\x1b]ltouch evil\x1b\\", "\x1b[?2026$p": "\x1b[?2026;2$y", "\x1b]11;?\a": "\x1b]11;rgb:0000/0000/0000\a", "\x1b]4;1;?\a": "\x1b]4;1;rgb:ffff/0000/0000\a",
	"\x1bP+q544e\x1b\\": "\x1bP1+r544e=787465726d\x1b\\",
}

// answer answers the questions in b.
func (d *desk) answer(b []byte) {
	d.asked = append(d.asked, b...)
	for _, at := range questions.FindAllIndex(d.asked, -1) {
		d.kept += answers[string(d.asked[at[0]:at[1]])]
		clear(d.asked[at[0]:at[1]])
	}
	if len(d.asked) > 64 {
		d.asked = append([]byte(nil), d.asked[len(d.asked)-64:]...)
	}
	if !d.silent && d.kept != "" {
		_, _ = d.master.WriteString(d.kept)
		d.kept = ""
	}
}

// hold makes the terminal keep late answers, or release them.
func (d *desk) hold(late bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.silent = late
	d.answer(nil)
}

// heldBack reports whether this answer is kept until released.
func (d *desk) heldBack(answer string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Contains(d.kept, answer)
}

func (d *desk) typeKeys(s string) {
	d.t.Helper()
	if _, err := d.master.WriteString(s); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) shows(text string) {
	d.t.Helper()
	eventually.Holds(d.t, "the terminal shows "+text, func() bool { return strings.Contains(d.text(), text) })
}

func (d *desk) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var b []byte
	cols, rows := d.screen.Size()
	for y := range rows {
		b = d.screen.AppendRow(b, y, 0, cols) // joins wrapped lines
	}
	return string(b)
}

// state is all that a visit must leave as it was.
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

// isAgain waits until the terminal is in state was.
func (d *desk) isAgain(was state) {
	d.t.Helper()
	eventually.Holds(d.t, "the terminal is as it was", func() bool { return d.state() == was })
}

// open attaches to the ship.
func (d *desk) open(ctx context.Context, l *link.Link) *attach.Command {
	d.t.Helper()
	cols, rows := d.screen.Size()
	c, err := attach.Open(ctx, l, attach.Options{Ship: "ship-0", Type: "xterm-256color", Cols: cols, Rows: rows, Predict: d.predict})
	if err != nil {
		d.t.Fatal(err)
	}
	c.SetStdin(d.tty)
	c.SetStdout(d.tty)
	return c
}

// run attaches, and returns a channel for the error of the visit.
func (d *desk) run(ctx context.Context, l *link.Link) <-chan error {
	d.t.Helper()
	c := d.open(ctx, l)
	ended := make(chan error, 1)
	go func() { ended <- c.Run() }()
	return ended
}
