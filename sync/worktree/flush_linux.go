package worktree

import (
	"os"

	"golang.org/x/sys/unix"
)

// Flush brings everything that was written to the file system of dir to the disk.
func Flush(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
