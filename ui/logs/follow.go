package logs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"ocaptain/fleet"
	"ocaptain/tasks/watch"
)

// gather is how long new lines are collected, so that lines of several ships can be put in order.
const gather = 30 * time.Millisecond

// maxAtOnce bounds the new lines per call of show, in bytes.
const maxAtOnce = 4 << 20

// Follow calls show with new lines as they are written, until ctx ends or the voyage is gone. ends
// says how far each log was read; Follow reads a log without an entry from its beginning.
func Follow(ctx context.Context, d fleet.Dir, q Query, ends Ends, show func([]Line) error) error {
	return follow(ctx, d, ends, func(news []news) error {
		var sources []source
		for _, n := range news {
			var lines []Line
			for _, e := range n.lines {
				if q.Wants(e.line) {
					lines = append(lines, e.line)
				}
			}
			sources = append(sources, listed(lines))
		}
		var batch []Line
		if err := mergeByTime(ctx, sources, func(l Line) error {
			batch = append(batch, l)
			return nil
		}); err != nil {
			return err
		}
		return show(batch)
	})
}

// news is what was added to one log.
type news struct {
	ship  string
	anew  bool // the log was started again, without its earlier lines
	lines []entry
}

// entry is a line with its position in the file.
type entry struct {
	line   Line
	offset int64
	length int
}

// follow reads additions to the logs of a voyage, and updates ends. It calls show after a first
// look at all logs, and then after every addition.
func follow(ctx context.Context, d fleet.Dir, ends Ends, show func([]news) error) error {
	watcher := watch.New()
	defer watcher.Close()
	if err := watcher.Add(string(d)); err != nil { // the directory of the logs may not exist yet
		return fmt.Errorf("watch %s: %w", d, err)
	}
	_ = watcher.Add(d.LogsDir())
	touched := newTouched(d) // to read what was written before the watch began
	due := time.NewTimer(0)
	defer due.Stop()
	waiting, shown := true, false
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-watcher.Events:
			if ship, ok := shipOf(filepath.Base(e.Name)); ok && filepath.Dir(e.Name) == d.LogsDir() {
				touched[ship] = true
				break
			}
			if _, err := os.Stat(string(d)); err != nil {
				return fmt.Errorf("the voyage is gone: %w", err)
			}
			if e.Name != d.LogsDir() || !e.Has(fsnotify.Create) {
				continue
			}
			_ = watcher.Add(d.LogsDir())
			touched = newTouched(d)
		case <-watcher.Missed: // any log may have changed
			if _, err := os.Stat(string(d)); err != nil {
				return fmt.Errorf("the voyage is gone: %w", err)
			}
			_ = watcher.Add(d.LogsDir())
			touched = newTouched(d)
		case <-due.C:
			all, err := touched.read(d, ends)
			if err != nil {
				return err
			}
			if len(all) > 0 || !shown {
				if err := show(all); err != nil {
					return err
				}
				shown = true
			}
			waiting = false
			if len(touched) == 0 {
				continue
			}
		}
		if !waiting {
			waiting = true
			due.Reset(gather)
		}
	}
}

// touched are the logs to look at.
type touched map[string]bool

// newTouched returns all logs.
func newTouched(d fleet.Dir) touched {
	t := touched{}
	for _, ship := range ListShips(d) {
		t[ship] = true
	}
	return t
}

// read returns what was added to the touched logs, and removes each log from t once it is read.
// When there is much, it leaves some logs for the next call.
func (t touched) read(d fleet.Dir, ends Ends) ([]news, error) {
	var all []news
	budget := int64(maxAtOnce)
	for ship := range t {
		if budget <= 0 {
			break
		}
		n := news{ship: ship}
		end, more, err := n.read(d.LogFile(ship), ends[ship], budget)
		if err != nil {
			return nil, err
		}
		if !more {
			delete(t, ship)
		}
		if n.anew || end > ends[ship] {
			budget -= end - ends[ship]
			ends[ship] = end
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b news) int { return strings.Compare(a.ship, b.ship) })
	return all, nil
}

// read reads the lines of a file from an offset on, about most bytes. It returns where it stopped,
// and whether there is more.
func (n *news) read(path string, from, most int64) (end int64, more bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return from, false, nil // removed again, or moved away by a writer that starts it again
	}
	if err != nil {
		return from, false, err
	}
	defer f.Close()
	whole, err := wholeLines(f)
	if err != nil {
		return from, false, err
	}
	if whole < from || !afterLine(f, from) {
		n.anew, from = true, 0
	}
	end = from
	lines := bufio.NewReaderSize(io.NewSectionReader(f, from, max(0, whole-from)), 64<<10)
	for end < whole && end-from < most {
		raw, length, err := readLine(lines)
		if errors.Is(err, io.EOF) { // another process has just cut it off
			return end, true, nil
		}
		if err != nil {
			return end, false, fmt.Errorf("read %s: %w", filepath.Base(path), err)
		}
		if l, ok := Parse(raw); ok {
			n.lines = append(n.lines, entry{l, end, len(raw) - 1})
		}
		end += length
	}
	return end, end < whole, nil
}

// afterLine reports whether a line of the file ends at offset at.
func afterLine(f io.ReaderAt, at int64) bool {
	var last [1]byte
	if at == 0 {
		return true
	}
	_, err := f.ReadAt(last[:], at-1)
	return err == nil && last[0] == '\n'
}
