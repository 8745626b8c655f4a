package fleet

import (
	"io/fs"
	"os"
	"syscall"
)

// owned reports whether the present user owns the file.
func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
