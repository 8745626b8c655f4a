package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// MoveAside renames what is at path, so that something else can be there, and returns where it is now. The new name
// says why.
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
