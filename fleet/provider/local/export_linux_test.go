package local

import "golang.org/x/sys/unix"

// ScopesAbstract tells whether the kernel can keep processes from abstract sockets.
func ScopesAbstract() bool { return scopesAbstract() }

// WithoutLandlock makes the kernel one that does not know Landlock.
func WithoutLandlock() (undo func()) {
	real := landlock
	landlock = func(*unix.LandlockRulesetAttr, uintptr, uintptr) (int, unix.Errno) { return -1, unix.ENOSYS }
	return func() { landlock = real }
}
