package join

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// deafen takes the right to bind TCP ports from this thread and what it becomes or starts, if the kernel can.
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
