package journal

import (
	"errors"
	"os"
	"syscall"
)

// lockFile waits until no other process appends to the file.
func lockFile(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// unlock lets others append. It cannot fail on a file that is locked.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
