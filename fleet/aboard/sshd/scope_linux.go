package sshd

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock is the call that makes rules, or tells which the kernel has. It is a variable for tests.
var Landlock = func(attr *unix.LandlockRulesetAttr, size, flags uintptr) (int, unix.Errno) {
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(attr)), size, flags)
	return int(fd), errno
}

// withScopes is the first version of Landlock that knows abstract sockets, that of Linux 6.12.
const withScopes = 6

// ScopesAbstract tells whether the kernel can keep processes from the abstract sockets of others.
func ScopesAbstract() bool {
	version, errno := Landlock(nil, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0 && version >= withScopes
}

// scopeSockets keeps all that is started from now on from abstract sockets of others, if the kernel can. Rules are a thread's, and
// those of its children: one thread takes them on and starts all.
func (c *children) scopeSockets() {
	work := make(chan func())
	c.run = func(start func()) {
		done := make(chan struct{})
		work <- func() { start(); close(done) }
		<-done
	}
	go func() {
		runtime.LockOSThread()
		restrict()
		for start := range work {
			start()
		}
	}()
}

func restrict() {
	rules := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	fd, errno := Landlock(&rules, unsafe.Sizeof(rules), 0)
	if errno != 0 {
		return // an older kernel, which the ship's note says
	}
	defer unix.Close(fd)
	if unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == nil {
		_, _, _ = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(fd), 0, 0)
	}
}
