package worktree

import (
	"io/fs"
	"syscall"
	"time"
)

// ChangeTime returns a file's ctime, which programs cannot set.
func ChangeTime(info fs.FileInfo) time.Time {
	return time.Unix(info.Sys().(*syscall.Stat_t).Ctimespec.Unix()) //nolint:forcetypeassert // it comes from lstat
}
