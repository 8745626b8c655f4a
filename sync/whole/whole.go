// Package whole writes files whole or not at all.
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

// Write puts data into a file with these permissions, in place of what is there. Who reads or is killed meanwhile finds the
// old file or the new one. Until it is whole the new one is beside the old one, with a dot before its name: nowhere
// else may be left what the captain keeps private there.
func Write(file string, data []byte, mode fs.FileMode) error {
	return renameio.WriteFile(file, data, mode, Beside(file))
}

// Create puts data into a new file, whole or not at all, unless there is a file already. It returns what the file has then: where two
// create it at the same time, both get the same.
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

// Beside puts a pending file beside the file that it is to replace, and not into the system's temporary
// directory.
func Beside(file string) renameio.Option { return renameio.WithTempDir(filepath.Dir(file)) }
