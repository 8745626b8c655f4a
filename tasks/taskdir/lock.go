package taskdir

import (
	"errors"
	"os"
	"time"
)

// lockStale is the age at which Claude Code takes a lock from its holder. We do the same.
const lockStale = 10 * time.Second

// lockLease is the longest time we hold a lock. We backdate the lock directory so that, if we die,
// others wait no longer than this.
const lockLease = 2 * time.Second

// errLocked means that another process holds the file's lock.
var errLocked = errors.New("locked by another process")

// locked runs do while it holds the lock directory at path, as Claude Code locks.
func locked(path string, do func() error) error {
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, os.ErrExist) && abandoned(path) {
		os.RemoveAll(path) // a lock directory is empty, unless somebody put files into it on purpose
		err = os.Mkdir(path, 0o700)
	}
	if errors.Is(err, os.ErrExist) {
		return errLocked
	}
	if err != nil {
		return err
	}
	defer os.Remove(path)
	made := time.Now().Add(lockLease - lockStale)
	_ = os.Chtimes(path, made, made) // if this fails, others only wait longer
	return do()
}

// abandoned reports whether a lock is older than lockStale, or from the future.
func abandoned(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && time.Since(info.ModTime()).Abs() > lockStale
}
