package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// MoveAside renames the file at path, to make room for another, and returns its new path. The new name contains
// why.
func MoveAside(path, why string) (kept string, err error) {
	kept = path + "." + why
	for i := 2; i < 100; i++ {
		if _, err := os.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
			break
		}
		kept = fmt.Sprintf("%s.%s-%d", path, why, i)
	}
	return kept, os.Rename(path, kept)
}
