package launch

import (
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Leftovers are directories of voyages that commands were making which have been killed.
func Leftovers(voyages string) []string {
	var dead []string
	all, _ := filepath.Glob(filepath.Join(voyages, ".fitting-*"))
	for _, dir := range all {
		if info, err := os.Stat(dir); err != nil || time.Since(info.ModTime()) < time.Minute {
			continue // perhaps it is not locked yet
		}
		file := filepath.Join(dir, "lock")
		if _, err := os.Stat(file); err != nil {
			dead = append(dead, dir) // it was killed before it could lock
			continue
		}
		lock := flock.New(file)
		if ok, err := lock.TryLock(); err == nil && ok {
			dead = append(dead, dir)
			_ = lock.Unlock()
		}
	}
	return dead
}

// RemoveLeftover removes one of them, unless somebody works on it after all.
func RemoveLeftover(dir string) error {
	lock := flock.New(filepath.Join(dir, "lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	return os.RemoveAll(dir)
}
