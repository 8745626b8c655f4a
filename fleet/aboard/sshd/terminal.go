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
	if err := t.copyInSteps(w); !errors.Is(err, os.ErrDeadlineExceeded) {
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

// copyInSteps copies until reading or writing fails.
func (t *terminal) copyInSteps(w io.Writer) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := t.master.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		t.pause(n)
	}
}

// copyFrom copies what the client types to the terminal.
func (t *terminal) copyFrom(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			t.noteInput()
			if _, err := t.master.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (t *terminal) noteInput() {
	t.typed.Store(time.Now().UnixNano())
	t.hurry.Send()
}

// outputPause returns how long to wait after n bytes of output, given the time since the last input. While the client
// only watches, small pieces of output gather for a frame of its screen, as each packet wakes several processes. What
// follows input may be its echo and is sent at once, and so is output of which much comes.
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
