package telemetry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// place is a position in the files of lines.
type place struct {
	File   int   `json:"file"`
	Offset int64 `json:"offset"`
}

// covers reports whether other is not after p.
func (p place) covers(other place) bool {
	return other.File < p.File || other.File == p.File && other.Offset <= p.Offset
}

// files are the lines of OTLP JSON in a directory: otlp-NUMBER.jsonl, with increasing numbers.
type files struct {
	dir  string
	keep int64 // how many bytes of lines are kept
	most int64 // bytes of a file at which the next one is begun
	file *os.File
	at   place // place of the next line

	dropping func(n int) // called before file n is removed; may be nil
}

// open continues at a place. It removes what the file has after that, which was not written completely.
func (l *files) open(at place) error {
	f, err := os.OpenFile(lines(l.dir, at.File), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Truncate(at.Offset); err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.at = f, at
	return nil
}

// isFull reports whether a line has to go into another file.
func (l *files) isFull(line []byte) bool {
	return l.file != nil && l.at.Offset > 0 && l.at.Offset+int64(len(line)) > l.most
}

// next begins another file.
func (l *files) next() error {
	old := l.file
	if err := l.open(place{File: l.at.File + 1}); err != nil {
		return err
	}
	return old.Close()
}

// write writes a line: all of it or nothing.
func (l *files) write(line []byte) error {
	if l.file == nil {
		return fs.ErrClosed
	}
	if err := l.drop(int64(len(line))); err != nil {
		return err
	}
	if _, err := l.file.WriteAt(line, l.at.Offset); err != nil {
		return errors.Join(err, l.file.Truncate(l.at.Offset))
	}
	l.at.Offset += int64(len(line))
	return nil
}

// drop removes the oldest files until there is room for more bytes.
func (l *files) drop(more int64) error {
	if l.at.Offset > 0 { // all older files could be removed
		return nil
	}
	numbers, err := listLines(l.dir)
	if err != nil {
		return err
	}
	sizes := make([]int64, len(numbers))
	var all int64
	for i, n := range numbers {
		if info, err := os.Stat(lines(l.dir, n)); err == nil {
			sizes[i] = info.Size()
		}
		all += sizes[i]
	}
	for i, n := range numbers {
		if n == l.at.File || all+max(more, l.most) <= l.keep {
			break
		}
		if l.dropping != nil {
			l.dropping(n)
		}
		if err := os.Remove(lines(l.dir, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		all -= sizes[i]
	}
	return nil
}

func lines(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("otlp-%08d.jsonl", n)) }

// listLines returns the numbers of the files, the oldest first.
func listLines(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []int
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), "otlp-%d.jsonl", &n); err == nil && e.Name() == filepath.Base(lines(dir, n)) {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all, nil
}
