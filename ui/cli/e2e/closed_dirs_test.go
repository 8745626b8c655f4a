package e2e

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// closed fails the test when another user may read any file of the captain's voyages. Files of the work trees in a voyage
// have the modes that git gives them; the directory around them is closed.
func (c *captain) closed() {
	c.Helper()
	err := filepath.WalkDir(c.hub.Voyages, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // helm is at work
		}
		if err != nil || e.Type() == fs.ModeSymlink {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			c.Errorf("others may use %s: %s", path, info.Mode())
		}
		if e.Name() == "workspace" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Error(err)
	}
}
