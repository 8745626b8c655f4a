package worktree

import (
	"io/fs"
	"syscall"
	"time"
)

// ChangeTime is when the system saw the last change of a file. Programs cannot set it.
func ChangeTime(info fs.FileInfo) time.Time {
	return time.Unix(info.Sys().(*syscall.Stat_t).Ctim.Unix()) //nolint:forcetypeassert // it comes from lstat
}
