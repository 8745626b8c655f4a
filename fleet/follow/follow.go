// Package follow reads the board of a voyage again whenever it changes.
package follow

import (
	"context"
	"fmt"
	"os"

	"ocaptain/fleet"
	"ocaptain/tasks/watch"
)

// Board calls show with the board of a voyage now and after every change, until ctx ends or show returns an
// error.
func Board(ctx context.Context, d fleet.Dir, show func(fleet.Board) error) error {
	watcher := watch.New()
	defer watcher.Close()
	if err := watcher.Add(string(d)); err != nil {
		return fmt.Errorf("watch %s: %w", d, err)
	}
	for {
		board, err := fleet.ReadBoard(d)
		if err == nil {
			err = show(board)
		}
		if err != nil {
			return err
		}
		for changed := false; !changed; {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case e := <-watcher.Events:
				if _, err := os.Stat(string(d)); err != nil {
					return fmt.Errorf("the voyage is gone: %w", err)
				}
				changed = e.Name == d.BoardFile()
			case <-watcher.Missed:
				if _, err := os.Stat(string(d)); err != nil {
					return fmt.Errorf("the voyage is gone: %w", err)
				}
				changed = true
			}
		}
	}
}
