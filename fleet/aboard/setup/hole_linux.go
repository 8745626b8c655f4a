package setup

import (
	"os"

	"golang.org/x/sys/unix"
)

// punchHole frees the disk blocks of the first n bytes of a file, which then read as zeros. The file keeps its size.
func punchHole(f *os.File, n int64) error {
	return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, n)
}
