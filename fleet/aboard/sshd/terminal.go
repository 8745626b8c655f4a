package sshd

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/creack/pty"
	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"

	"ocaptain/fleet/wake"
)

// terminal is the pseudo-terminal of a session.
type terminal struct {
	kind   string   // TERM
	tty    *os.File // the side of the command
	master *os.File
	typed  atomic.Int64 // when the client last sent input, in nanoseconds
	hurry  wake.Signal  // ends a pause
}

// openTerminal opens the terminal that a pty-req asks for, or returns nil.
func openTerminal(payload []byte) *terminal {
	var asked struct {
		Kind                      string
		Cols, Rows, Width, Height uint32
		Modes                     string
	}
	if ssh.Unmarshal(payload, &asked) != nil || len(asked.Kind) > 64 {
		return nil
	}
	master, tty, err := pty.Open()
	if err != nil {
		return nil
	}
	_ = pty.Setsize(tty, windowSize(asked.Cols, asked.Rows))
	// Closing the terminal must end a read, so the file must use Go's poller.
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	master.Close()
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		tty.Close()
		return nil
	}
	return &terminal{kind: asked.Kind, tty: tty, master: os.NewFile(uintptr(fd), "ptmx"), hurry: wake.New()}
}

func windowSize(cols, rows uint32) *pty.Winsize {
	const most = 1 << 12
	return &pty.Winsize{Cols: uint16(min(cols, most)), Rows: uint16(min(rows, most))}
}

func (t *terminal) resize(payload []byte) bool {
	var asked struct{ Cols, Rows, Width, Height uint32 }
	if t == nil || ssh.Unmarshal(payload, &asked) != nil {
		return false
	}
	raw, err := t.master.SyscallConn()
	if err != nil {
		return false
	}
	s := windowSize(asked.Cols, asked.Rows)
	failed := raw.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: s.Rows, Col: s.Cols})
	})
	return failed == nil && err == nil
}

// maxHeld is more than a terminal buffers of what was printed, in bytes.
const maxHeld = 128 << 10

// finish makes copyTo return after it has copied what was printed so far.
func (t *terminal) finish() { _ = t.master.SetReadDeadline(time.Now()) }

// copyTo copies what programs print on the terminal until all have closed it, or finish is called.
func (t *terminal) copyTo(w io.Writer) {
	if _, err := io.Copy(steps{t, w}, t.master); !errors.Is(err, os.ErrDeadlineExceeded) {
		return
	}
	raw, err := t.master.SyscallConn()
	if err != nil {
		return
	}
	buf := make([]byte, 4<<10)
	for copied := 0; copied < maxHeld; {
		n := 0
		// After its deadline a file no longer reads by itself.
		if failed := raw.Control(func(fd uintptr) { n, err = unix.Read(int(fd), buf) }); failed != nil || err != nil || n <= 0 {
			return
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return
		}
		copied += n
	}
}

// steps writes the output of a terminal to a client, with a pause after each write.
type steps struct {
	term *terminal
	to   io.Writer
}

func (s steps) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	if err == nil {
		s.term.pause(n)
	}
	return n, err
}

// Write passes what the client types on to programs.
func (t *terminal) Write(p []byte) (int, error) {
	t.noteInput()
	return t.master.Write(p)
}

func (t *terminal) noteInput() {
	t.typed.Store(time.Now().UnixNano())
	t.hurry.Send()
}

// outputPause returns how long to wait after n bytes of output, given the time since the last input. While the client
// only watches, small pieces of output gather for a frame of its screen, as each packet wakes several processes. Output
// right after input may be the echo of that input and is sent at once. A large piece of output is sent at once too.
func outputPause(n int, sinceInput time.Duration) time.Duration {
	if n >= 1<<10 || sinceInput < 2*time.Second {
		return 0
	}
	return time.Second / 60
}

// pause waits after n bytes of output. Input ends the pause.
func (t *terminal) pause(n int) {
	select {
	case <-t.hurry:
	default:
	}
	d := outputPause(n, time.Since(time.Unix(0, t.typed.Load())))
	if d == 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-t.hurry:
	}
}

// close hangs up every program on the terminal.
func (t *terminal) close() {
	if t != nil {
		t.tty.Close()
		t.master.Close()
	}
}
