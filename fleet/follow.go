package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"ocaptain/tasks/watch"
)

// ReadBoard reads all that is known of a voyage. Until helm has written the first board, that is only what the voyage
// was made from.
func ReadBoard(d Dir) (Board, error) {
	board, err := LoadBoard(d)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return board, err
	}
	return ReadSummary(d)
}

// ReadSummary reads the board of a voyage without its tasks.
func ReadSummary(d Dir) (Board, error) {
	v, err := LoadVoyage(d)
	if err != nil {
		return Board{}, err
	}
	f, err := LoadFleet(d)
	if err != nil {
		return Board{}, err
	}
	board := Board{Voyage: v, Phase: f.Phase, Since: f.Since, Verify: f.Verify, Usage: keptUsage(d)}
	for _, s := range f.Ships {
		board.Ships = append(board.Ships, ShipView{Ship: *s, Status: Status{Word: Unknown}})
	}
	return board, nil
}

// keptUsage returns what the ships of a voyage have used, from the file that helm keeps; the zero Usage if that is
// unreadable.
func keptUsage(d Dir) (sum Usage) {
	var ships map[string]struct{ Now, Past Usage }
	if Load(d.UsageFile(), &ships) != nil {
		return Usage{}
	}
	for _, s := range ships {
		sum = sum.Add(s.Past).Add(s.Now)
	}
	return sum
}

// FollowBoard calls show with the board of a voyage now and after every change, until ctx ends or show returns an
// error.
func FollowBoard(ctx context.Context, d Dir, show func(Board) error) error {
	watcher := watch.New()
	defer watcher.Close()
	if err := watcher.Add(string(d)); err != nil {
		return fmt.Errorf("watch %s: %w", d, err)
	}
	for {
		board, err := ReadBoard(d)
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
