package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockFile is what is locked while a ship is made or destroyed.
func (p *Provider) lockFile(name string) string {
	return filepath.Join(p.options.Root, ".locks", name)
}

// lock keeps others from making or destroying the same ship. The function returned
// lets go, and removes the lock file when the ship is gone.
func (p *Provider) lock(ctx context.Context, name string) (unlock func(gone bool), err error) {
	file := p.lockFile(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("lock local ship %s: %w", name, err)
	}
	for {
		l := flock.New(file, flock.SetPermissions(0o600))
		if _, err := l.TryLockContext(ctx, 5*time.Millisecond); err != nil {
			return nil, fmt.Errorf("lock local ship %s: %w", name, err)
		}
		// Who held it before may have removed the file that is locked now.
		mine, err := l.Stat()
		if err != nil {
			l.Close()
			return nil, fmt.Errorf("lock local ship %s: %w", name, err)
		}
		if there, err := os.Stat(file); err != nil || !os.SameFile(mine, there) {
			l.Close()
			continue
		}
		return func(gone bool) {
			if gone {
				os.Remove(file)
			}
			l.Close()
		}, nil
	}
}
