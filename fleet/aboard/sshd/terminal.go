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
	tty    *os.File // the command's end
	master *os.File
}

// openTerminal makes what a pty-req asks for, or returns nil.
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
	// Reading must end when the terminal is closed, so it goes through Go's poller.
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

// maxHeld is more than a terminal holds of what was printed and not read yet.
const maxHeld = 128 << 10

// finish has copyTo end with what was printed so far: what others print later is not waited for.
func (t *terminal) finish() { _ = t.master.SetReadDeadline(time.Now()) }

// copyTo copies what programs print on the terminal until none can print any more, or finish is
// called.
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
		// A file whose deadline is over reads nothing by itself.
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
