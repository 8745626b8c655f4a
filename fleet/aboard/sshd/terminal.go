package sshd

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/creack/pty"
	"golang.org/x/crypto/ssh"
	"golang.org/x/sys/unix"
)

// terminal is the pseudo-terminal of a session.
type terminal struct {
	kind   string   // TERM
	tty    *os.File // the side of the command
	master *os.File
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
	return &terminal{kind: asked.Kind, tty: tty, master: os.NewFile(uintptr(fd), "ptmx")}
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
	if _, err := io.Copy(w, t.master); !errors.Is(err, os.ErrDeadlineExceeded) {
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

// close hangs up every program on the terminal.
func (t *terminal) close() {
	if t != nil {
		t.tty.Close()
		t.master.Close()
	}
}
