package shipdir

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// Wait waits until the process has ended, or ctx is done. It does so without looking at the process again and again, unless the
// kernel is older than Linux 5.3, which has no pidfd_open(2).
func (p Process) Wait(ctx context.Context) {
	if p.PID <= 0 || !p.waitFD(ctx) {
		p.waitLooking(ctx)
	}
}

// waitFD is Wait with a file descriptor of the process. It returns false if there is none.
func (p Process) waitFD(ctx context.Context) bool {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err != nil || unix.SetNonblock(fd, true) != nil {
		return false
	}
	f := os.NewFile(uintptr(fd), "process")
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	if !p.Alive() { // before the descriptor was opened, the pid may have become another process's
		return true
	}
	defer context.AfterFunc(ctx, func() { f.Close() })()
	_ = raw.Read(func(fd uintptr) bool { // returns an error when ctx is done
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && err != unix.EINTR
	})
	return true
}
