package stage

import (
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Leftovers lists the directories of voyages whose commands were killed while they made them.
func Leftovers(voyages string) []string {
	var dead []string
	all, _ := filepath.Glob(filepath.Join(voyages, ".fitting-*"))
	for _, dir := range all {
		if info, err := os.Stat(dir); err != nil || time.Since(info.ModTime()) < time.Minute {
			continue // its command may not have locked it yet
		}
		file := filepath.Join(dir, "lock")
		if _, err := os.Stat(file); err != nil {
			dead = append(dead, dir) // the command was killed before it could lock the directory
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

// RemoveLeftover removes such a directory, unless a process has it locked after all.
func RemoveLeftover(dir string) error {
	lock := flock.New(filepath.Join(dir, "lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	return os.RemoveAll(dir)
}
