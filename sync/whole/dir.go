package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MakeDir makes dir and up to above missing parents. It fails if more parents are missing: it must not rebuild a tree
// that the user has moved away.
func MakeDir(dir string, above int, mode fs.FileMode) error {
	err := os.Mkdir(dir, mode)
	if errors.Is(err, fs.ErrNotExist) && above > 0 {
		if err = MakeDir(filepath.Dir(dir), above-1, mode); err == nil {
			err = os.Mkdir(dir, mode)
		}
	}
	if info, e := os.Stat(dir); e == nil && info.IsDir() {
		return nil
	}
	return err
}
