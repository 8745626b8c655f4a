package attach_test

import (
	"path/filepath"
	"testing"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach"
	"ocaptain/ui/attach/shiptest"
)

// Late answers of a terminal reach no other program, and nothing typed meanwhile is lost.
func TestLateAnswers(t *testing.T) {
	names, err := filepath.Glob("testdata/endings/*")
	if err != nil {
		t.Fatal(err)
	}
	s := shiptest.Start(t, echo)
	l := s.Open()
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			recorded, err := filepath.Abs(name)
			if err != nil {
				t.Fatal(err)
			}
			d := newDesk(t, 80, 24)
			was := d.state()
			c := d.login(l)
			ended := make(chan error, 1)
			go func() { ended <- c.Run() }()
			d.typeKeys("echo go-$((40+2))\r")
			d.shows("go-42")
			d.hold(true)
			d.typeKeys("cat " + recorded + "; printf '\\030\\033[c\\033[6n'; exit\r")
			eventually.Holds(t, "the fence is there", func() bool { return d.heldBack("\x1b[0n") })
			d.typeKeys("jk\x1b[B")
			d.hold(false)
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			d.nothingElse(string(c.UnreadInput()), "jk\x1b[B")
			now := d.state()
			if now.termios != was.termios || now.modes != was.modes || !now.cursor.Visible || now.cursor.Shape != was.cursor.Shape {
				t.Errorf("the terminal is %+v", now)
			}
		})
	}
}

// The same holds with the ship's agent in tmux.
func TestLateAnswersToTmux(t *testing.T) {
	s := shiptest.Start(t, echo)
	d := newDesk(t, 80, 24)
	was := d.state()
	c := d.open(shiptest.Soon(t), s.Open())
	d.hold(true)
	ended := make(chan error, 1)
	go func() { ended <- c.Run() }()
	d.shows("ready")
	d.typeKeys("\x11a")
	eventually.Holds(t, "the fence is there", func() bool { return d.heldBack("\x1b[0n") })
	d.typeKeys("b")
	if !d.heldBack("\x1b[>41;354;0c") {
		t.Error("tmux has asked nothing")
	}
	d.hold(false)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	d.isAgain(was)
	d.nothingElse(string(c.UnreadInput()), "ab")
}

// A captain can leave although the terminal never answers.
func TestNeverAnswers(t *testing.T) {
	s := shiptest.Start(t, echo)
	d := newDesk(t, 80, 24)
	d.hold(true)
	c := d.open(shiptest.Soon(t), s.Open())
	ended := make(chan error, 1)
	go func() { ended <- c.Run() }()
	d.shows("ready")
	d.typeKeys("\x11jk")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if string(c.UnreadInput()) != "jk" {
		t.Errorf("the rest is %q", c.UnreadInput())
	}
}

// login logs in to a shell on the ship.
func (d *desk) login(l *link.Link) *attach.Command {
	d.t.Helper()
	c, err := attach.Open(shiptest.Soon(d.t), l, attach.Options{Ship: "ship-0", Type: "xterm", Cols: 80, Rows: 24, Login: true})
	if err != nil {
		d.t.Fatal(err)
	}
	c.SetStdin(d.tty)
	c.SetStdout(d.tty)
	return c
}

// nothingElse checks that the visit read exactly the keys, and that the next program reads the keys
// typed next.
func (d *desk) nothingElse(got, want string) {
	d.t.Helper()
	if got != want {
		d.t.Errorf("the keys behind are %q, want %q", got, want)
	}
	d.typeKeys("next\n")
	buf := make([]byte, 100)
	n, err := d.tty.Read(buf)
	if err != nil || string(buf[:n]) != "next\n" {
		d.t.Errorf("the next program reads %q (%v)", buf[:n], err)
	}
}
