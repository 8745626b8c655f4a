package join

import (
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// startDeaf starts a program that can listen at no TCP port. A tailscaled in userspace opens one at every address of the
// machine, for what its peers ask of it itself; when it can't, they still get there, but by the tailnet alone.
//
// The kernel sees to it: Landlock, as of Linux 6.7. With another one the program listens, and talks to nobody who
// is not its peer. Multipath TCP, which Go listens with, is beyond Landlock, so the program is told to do without.
func startDeaf(cmd *exec.Cmd) error {
	cmd.Env = append(cmd.Environ(), "GODEBUG=multipathtcp=0")
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // for ever: the thread ends with this, so that nothing else of this program is deaf
		deafen()
		started <- cmd.Start()
	}()
	return <-started
}

// deafen takes the right to bind TCP ports from this thread and all that it starts, if the kernel can.
func deafen() {
	rules := unix.LandlockRulesetAttr{Handled_access_net: unix.LANDLOCK_ACCESS_NET_BIND_TCP}
	const size = unsafe.Offsetof(rules.Scoped) // what the first kernel with that right knows of it
	fd, _, failed := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), size, 0)
	if failed != 0 {
		return
	}
	defer unix.Close(int(fd))
	if unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == nil {
		_, _, _ = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
	}
}
