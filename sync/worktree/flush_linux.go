package worktree

import (
	"os"

	"golang.org/x/sys/unix"
)

// Flush syncs the file system of dir.
func Flush(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
