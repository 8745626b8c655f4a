package join

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// deaf is the command that runs a program by Deaf.
func deaf(argv ...string) ([]string, error) {
	exe, err := os.Executable()
	return append([]string{exe, "aboard", "deaf", "--"}, argv...), err
}

// Deaf becomes another program, which can listen at no TCP port. A tailscaled in userspace opens one at every address
// of the machine, for what its peers ask of it itself; when it can't, they still get there, but by the tailnet alone.
//
// The kernel sees to it: Landlock, as of Linux 6.7. With another one the program listens, and talks to nobody who
// is not its peer. Multipath TCP, which Go listens with, is beyond Landlock, so the program is told to do without.
func Deaf(argv []string) error {
	runtime.LockOSThread() // rights are a thread's, and that which calls Exec hands on its own
	deafen()
	env := append(os.Environ(), "GODEBUG=multipathtcp=0")
	return fmt.Errorf("start %s: %w", argv[0], syscall.Exec(argv[0], argv, env)) //nolint:gosec // for whoever has this program already
}
