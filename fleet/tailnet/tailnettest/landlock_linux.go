package tailnettest

import "golang.org/x/sys/unix"

// KeepsFromPorts reports whether this kernel can keep a program from listening at TCP ports: with Landlock, as of its
// fourth version, in Linux 6.7.
func KeepsFromPorts() bool {
	version, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return int(version) >= 4
}
