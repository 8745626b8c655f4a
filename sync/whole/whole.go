// Package whole writes files so that a reader or a crash never meets half of one.
package whole

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// Write replaces a file's content and permissions. A reader, or a crash, meanwhile finds the old file or the new one.
// Write renames a temporary file in the same directory, with a dot before its name: private content must not reach
// another directory.
func Write(file string, data []byte, mode fs.FileMode) error {
	return renameio.WriteFile(file, data, mode, Beside(file))
}

// Create is Write for a file that does not exist yet; it leaves an existing file as it is. It returns the file's
// content, so that two processes that create the file at the same time get the same content.
func Create(file string, data []byte, mode fs.FileMode) ([]byte, error) {
	fresh := file + "." + strings.ToLower(rand.Text())
	if err := Write(fresh, data, mode); err != nil {
		return nil, err
	}
	defer os.Remove(fresh)
	if err := os.Link(fresh, file); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(file)
}

// Beside has renameio put its temporary file into the directory of file, not into the system's temporary directory.
func Beside(file string) renameio.Option { return renameio.WithTempDir(filepath.Dir(file)) }
