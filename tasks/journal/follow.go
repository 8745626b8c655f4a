package journal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Follow calls fn for each record from offset from on, and for those that come
// later, until ctx ends, fn fails or the file cannot be read. The file may not
// exist yet; its directory must.
func Follow(ctx context.Context, path string, from int64, fn func(Record) error) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("follow journal: %w", err)
	}
	defer watcher.Close()
	// The directory, since a file that does not exist cannot be watched.
	if err := watcher.Add(filepath.Dir(path)); err != nil {
		return fmt.Errorf("follow journal: %w", err)
	}
	for {
		if from, err = Read(path, from, fn); err != nil {
			return err
		}
		if err := wait(ctx, watcher, filepath.Clean(path)); err != nil {
			return err
		}
	}
}

// wait returns when the file may have grown.
func wait(ctx context.Context, watcher *fsnotify.Watcher, path string) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case event := <-watcher.Events:
			if event.Name == path {
				return nil
			}
		case err := <-watcher.Errors:
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				return nil // what was lost may have been ours
			}
			return fmt.Errorf("follow journal: %w", err)
		}
	}
}
