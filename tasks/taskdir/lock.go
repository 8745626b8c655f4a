package taskdir

import (
	"errors"
	"os"
	"time"
)

// lockStale is after how long Claude Code takes a lock from its holder, and so do we.
const lockStale = 10 * time.Second

// lockLease is for how long we need a lock at most. Its directory is made to look older,
// so that it holds up nobody for longer if we die meanwhile.
const lockLease = 2 * time.Second

// errLocked says that somebody else is at the file right now.
var errLocked = errors.New("locked by another process")

// locked runs do while holding the lock directory at path, the way Claude Code locks.
func locked(path string, do func() error) error {
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, os.ErrExist) && abandoned(path) {
		os.RemoveAll(path) // a lock is empty, unless somebody means to stay
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
	_ = os.Chtimes(path, made, made) // if this fails, the lock only lasts longer
	return do()
}

// abandoned reports whether the holder of a lock has not touched it for too long. One
// from the future is not believed either.
func abandoned(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && time.Since(info.ModTime()).Abs() > lockStale
}
