package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"ocaptain/fleet"
)

// gather is how long new lines are collected, so that those of several ships can be
// put in order.
const gather = 30 * time.Millisecond

// followLogs hands over new lines as they are written, until ctx ends. ends says how
// far each log was read; a log that is not in it is read from its beginning.
func followLogs(ctx context.Context, d fleet.Dir, q logQuery, ends map[string]int64, show func([]logLine) error) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch logs: %w", err)
	}
	defer watcher.Close()
	if err := watcher.Add(string(d)); err != nil { // the directory of the logs may come later
		return fmt.Errorf("watch %s: %w", d, err)
	}
	_ = watcher.Add(d.Logs())
	due := time.NewTimer(0) // what was written between reading and watching
	defer due.Stop()
	waiting := true
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-watcher.Events:
			if !ok {
				return errors.New("watch logs: the watcher ended")
			}
			if e.Name == d.Logs() && e.Has(fsnotify.Create) {
				_ = watcher.Add(d.Logs())
			}
			if _, err := os.Stat(string(d)); err != nil {
				return fmt.Errorf("the voyage is gone: %w", err)
			}
		case err := <-watcher.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) { // then all files are looked at, which is what happens anyway
				return fmt.Errorf("watch logs: %w", err)
			}
		case <-due.C:
			waiting = false
			batch, err := newLines(d, q, ends)
			if err != nil {
				return err
			}
			if err := show(batch); err != nil {
				return err
			}
			continue
		}
		if !waiting {
			waiting = true
			due.Reset(gather)
		}
	}
}

// newLines reads what was added to all logs, in order of time, and moves ends.
func newLines(d fleet.Dir, q logQuery, ends map[string]int64) ([]logLine, error) {
	var batch []logLine
	for _, ship := range logFiles(d) {
		if len(q.ships) > 0 && !slices.Contains(q.ships, ship) {
			continue
		}
		f, err := os.Open(d.Log(ship))
		if err != nil {
			continue // gone again
		}
		end, err := wholeLines(f)
		if err == nil && end < ends[ship] {
			ends[ship] = 0 // it was begun anew
		}
		if err == nil && end > ends[ship] {
			lines := bufio.NewReader(io.NewSectionReader(f, ends[ship], end-ends[ship]))
			s := &source{query: q, lines: lines}
			for l, ok := s.next(); ok; l, ok = s.next() {
				batch = append(batch, l)
			}
			ends[ship] = end
		}
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(batch, func(a, b logLine) int { return a.At.Compare(b.At) })
	return batch, nil
}
