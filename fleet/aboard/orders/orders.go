// Package orders writes the files by which helm tells a ship what to do.
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

// File is a file of a ship. Its name begins at the home directory.
type File struct {
	Name    string
	Mode    fs.FileMode
	Content []byte
}

// Send is what Receive reads.
func Send(files []File) (io.Reader, error) {
	raw, err := json.Marshal(files)
	return bytes.NewReader(raw), err
}

// Receive writes files into a home directory, each of them whole, and none when not all have come. Missing directories are made for the
// owner only.
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
		if err := os.Chmod(name, f.Mode); err != nil && !errors.Is(err, fs.ErrNotExist) { // whole.Write gives the new file the permissions of the old
			return fmt.Errorf("orders: %w", err)
		}
		if err := whole.Write(name, f.Content, f.Mode); err != nil {
			return fmt.Errorf("orders: %w", err)
		}
		if err := os.Chmod(name, f.Mode); err != nil { // whatever the umask is
			return fmt.Errorf("orders: %w", err)
		}
	}
	return nil
}
