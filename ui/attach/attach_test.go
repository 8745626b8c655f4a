package attach_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet/link"
	"ocaptain/tasks/eventually"
	"ocaptain/ui/attach"
	"ocaptain/ui/attach/shiptest"
)

// The window has the size of the terminal that attached last, and follows that terminal.
func TestSizes(t *testing.T) {
	s := shiptest.Start(t, echo)
	l := s.Open()
	sized := func(want string) {
		t.Helper()
		eventually.Holds(t, "the window is "+want, func() bool { return s.Size() == want })
	}
	ada, ben := newDesk(t, 90, 30), newDesk(t, 70, 20)
	sized("200x50")
	adaEnded := ada.run(shiptest.Soon(t), l)
	ada.shows("ready")
	sized("90x30")
	benEnded := ben.run(shiptest.Soon(t), l)
	ben.shows("ready")
	sized("70x20")
	for i := range 50 {
		ada.resize(91+i, 31)
		if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
			t.Fatal(err)
		}
	}
	sized("140x31")
	ben.typeKeys("from ben ")
	ada.shows("from ben")
	ada.typeKeys("from ada")
	ben.shows("from ben from ada")
	ben.typeKeys("\x11")
	ada.typeKeys("\x1b[113;5u")
	if err := errors.Join(<-adaEnded, <-benEnded); err != nil {
		t.Fatal(err)
	}
	sized("140x31")
}

// Whatever ends a visit, the terminal is as it was.
func TestEnds(t *testing.T) {
	s := shiptest.Start(t, `stty raw -echo; printf 'ready \033[?1003h\033[?2004h\033[?25l'; exec cat`)
	for name, tt := range map[string]struct {
		do   func(cancel func())
		want error
	}{
		"ctx":         {func(cancel func()) { cancel() }, context.Canceled},
		"connection":  {func(func()) { s.Wire.Cut(false) }, link.ErrDown},
		"SIGTERM":     {func(func()) { _ = syscall.Kill(os.Getpid(), syscall.SIGTERM) }, attach.ErrSignal},
		"SIGHUP":      {func(func()) { _ = syscall.Kill(os.Getpid(), syscall.SIGHUP) }, attach.ErrSignal},
		"tmux's wish": {func(func()) { s.Tmux("detach-client", "-s", "=ship") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 80, 24)
			was := d.state()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := d.run(ctx, s.Open())
			d.shows("ready")
			eventually.Holds(t, "modes are on", func() bool { return d.state().modes.BracketedPaste })
			tt.do(cancel)
			if err := <-ended; !errors.Is(err, tt.want) {
				t.Errorf("ended with %v", err)
			}
			d.isAgain(was)
		})
	}
}

// A captain can leave a ship that does not answer.
func TestLeaveFrozenShip(t *testing.T) {
	s := shiptest.Start(t, echo)
	d := newDesk(t, 80, 24)
	was := d.state()
	ended := d.run(shiptest.Soon(t), s.Open())
	d.shows("ready")
	s.Wire.Freeze()
	defer s.Wire.Mend()
	for range 1000 {
		d.typeKeys(strings.Repeat("x", 1000))
	}
	d.typeKeys("\x11")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	d.isAgain(was)
}

// bomb is a terminal that makes its writer panic once.
type bomb struct {
	io.Writer
	gone bool
}

func (b *bomb) Write(p []byte) (int, error) {
	if !b.gone && strings.Contains(string(p), "!") {
		b.gone = true
		panic("boom")
	}
	return b.Writer.Write(p)
}

func TestPanicRestores(t *testing.T) {
	s := shiptest.Start(t, echo)
	d := newDesk(t, 80, 24)
	was := d.state()
	c := d.open(shiptest.Soon(t), s.Open())
	c.SetStdout(&bomb{Writer: d.tty})
	crash := make(chan any)
	go func() {
		defer func() { crash <- recover() }()
		_ = c.Run()
	}()
	d.shows("ready")
	d.typeKeys("!")
	if got := <-crash; got != "boom" {
		t.Errorf("the panic was %v", got)
	}
	d.isAgain(was)
}

// A terminal that the ship does not know works.
func TestUnknownTerminal(t *testing.T) {
	s := shiptest.Start(t, echo)
	c, err := attach.Open(shiptest.Soon(t), s.Open(), attach.Options{Ship: "ship-0", Type: "xterm-of-tomorrow", Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := s.Tmux("list-clients", "-F", "#{client_termname}"); got != "xterm-256color" {
		t.Errorf("the client's terminal is %q", got)
	}
}

// Without anything to attach to, the terminal stays untouched.
func TestCannotOpen(t *testing.T) {
	s := shiptest.Start(t, echo)
	s.Kill()
	closed := 0
	o := attach.Options{Ship: "ship-0", Cols: 80, Rows: 24, Closed: func() { closed++ }}
	if _, err := attach.Open(shiptest.Soon(t), s.Open(), o); err == nil || !strings.Contains(err.Error(), "its agent has no terminal") {
		t.Errorf("without tmux: %v", err)
	}
	s.Wire.Cut(true)
	if _, err := attach.Open(shiptest.Soon(t), s.Open(), o); !errors.Is(err, link.ErrDown) {
		t.Errorf("without network: %v", err)
	}
	if closed != 2 {
		t.Errorf("closed %d times", closed)
	}
}

// A login shell gets every key, and ends by itself.
func TestLogin(t *testing.T) {
	s := shiptest.Start(t, echo)
	d := newDesk(t, 80, 24)
	was := d.state()
	c, err := attach.Open(shiptest.Soon(t), s.Open(), attach.Options{Ship: "ship-0", Type: "xterm", Cols: 80, Rows: 24, Login: true})
	if err != nil {
		t.Fatal(err)
	}
	c.SetStdin(d.tty)
	c.SetStdout(d.tty)
	ended := make(chan error, 1)
	go func() { ended <- c.Run() }()
	d.typeKeys("stty raw; echo go-$((40+2)); dd bs=1 count=1 2>/dev/null | od -An -tx1; exit 3\r")
	d.shows("go-42")
	d.typeKeys("\x11")
	d.shows("11")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if now := d.state(); now.termios != was.termios {
		t.Error("the terminal's modes are not as they were")
	}
}
