// Package orders writes files that helm sends to a ship to tell it what to do.
package orders

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ocaptain/sync/whole"
)

// File is a file for a ship. Its name is relative to the home directory.
type File struct {
	Name    string
	Mode    fs.FileMode
	Content []byte
}

// Send encodes files for Receive.
func Send(files []File) (io.Reader, error) {
	raw, err := json.Marshal(files)
	return bytes.NewReader(raw), err
}

// Receive writes the files that Send encoded into a home directory, each atomically, and none of them unless all have arrived. It makes
// missing directories, which only the owner can enter.
func Receive(home string, in io.Reader) error {
	raw, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var files []File
	if err := json.Unmarshal(raw, &files); err != nil {
		return fmt.Errorf("orders: not all of them have come: %w", err)
	}
	for _, f := range files {
		if !filepath.IsLocal(f.Name) {
			return fmt.Errorf("orders: %q is not in the home directory", f.Name)
		}
		name := filepath.Join(home, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return fmt.Errorf("orders: %w", err)
		}
		if err := os.Chmod(name, f.Mode); err != nil && !errors.Is(err, fs.ErrNotExist) { // whole.Write keeps the permissions of the old file
			return fmt.Errorf("orders: %w", err)
		}
		if err := whole.Write(name, f.Content, f.Mode); err != nil {
			return fmt.Errorf("orders: %w", err)
		}
		if err := os.Chmod(name, f.Mode); err != nil { // regardless of the umask
			return fmt.Errorf("orders: %w", err)
		}
	}
	return nil
}
