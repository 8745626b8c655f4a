// Package whole writes files whole or not at all.
package whole

import (
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Write puts data into a file with these permissions, in place of what is there. Who reads or is killed meanwhile finds the
// old file or the new one. Until it is whole the new one is beside the old one, with a dot before its name: nowhere
// else may be left what the captain keeps private there.
func Write(file string, data []byte, mode fs.FileMode) error {
	return renameio.WriteFile(file, data, mode, Beside(file))
}

// Beside has a pending file be beside the one that it is to replace, and not among everybody's temporary files.
func Beside(file string) renameio.Option { return renameio.WithTempDir(filepath.Dir(file)) }
