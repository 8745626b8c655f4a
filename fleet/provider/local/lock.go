package local

import (
	"context"
	"fmt"
	"path/filepath"

	"ocaptain/fleet/provider/lockfile"
)

// lockFile returns the path of the file that is locked while a ship is made or destroyed.
func (d dirs) lockFile(name string) string {
	return filepath.Join(d.root, ".locks", name)
}

// lock keeps others from making or destroying the same ship. unlock ends that, and removes the lock file when the
// ship is gone.
func (d dirs) lock(ctx context.Context, name string) (unlock func(gone bool), err error) {
	if unlock, err = lockfile.Lock(ctx, d.lockFile(name)); err != nil {
		return nil, fmt.Errorf("local ship %s: %w", name, err)
	}
	return unlock, nil
}
