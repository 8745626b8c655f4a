package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MakeDir makes a directory and at most so many above it. What is above those must be there: where somebody has moved a whole
// tree away, nothing takes its place.
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
