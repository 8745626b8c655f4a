package clock

import (
	"golang.org/x/sys/unix"
)

// sinceBoot goes on while the machine sleeps, and no program can set it: it is mach_continuous_time.
const sinceBoot = unix.CLOCK_MONOTONIC_RAW
