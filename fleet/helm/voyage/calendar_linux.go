package voyage

import "golang.org/x/sys/unix"

// sinceBoot goes on while the machine sleeps, and no program sets it.
const sinceBoot = unix.CLOCK_BOOTTIME
