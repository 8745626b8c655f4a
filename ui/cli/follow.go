package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fsnotify/fsnotify"

	"ocaptain/fleet"
)

// followBoard hands over the board of a voyage now and after every change, until
// ctx ends or show returns an error.
func (b *bridge) followBoard(ctx context.Context, d fleet.Dir, show func(fleet.Board) error) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch voyage: %w", err)
	}
	defer watcher.Close()
	if err := watcher.Add(string(d)); err != nil {
		return fmt.Errorf("watch %s: %w", d, err)
	}
	for {
		board, err := b.board(d)
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
			case e, ok := <-watcher.Events:
				if !ok {
					return errors.New("watch voyage: the watcher ended")
				}
				if _, err := os.Stat(string(d)); err != nil {
					return fmt.Errorf("the voyage is gone: %w", err)
				}
				changed = e.Name == d.Board()
			case err := <-watcher.Errors:
				if !errors.Is(err, fsnotify.ErrEventOverflow) {
					return fmt.Errorf("watch voyage: %w", err)
				}
				changed = true
			}
		}
	}
}
