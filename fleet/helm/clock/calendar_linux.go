package clock

import (
	"golang.org/x/sys/unix"
)

// sinceBoot goes on while the machine sleeps, and no program can set it.
const sinceBoot = unix.CLOCK_BOOTTIME
