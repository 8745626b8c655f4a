package telemetry

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ocaptain/fleet/provider/lockfile"
	"ocaptain/sync/whole"
)

// DefaultKeep and LeastKeep bound the lines that a Store keeps, in bytes.
const (
	DefaultKeep = 256 << 20
	LeastKeep   = 32 << 20
)

// Sizes in bytes: of a file of lines before the next is begun, and of the lines after which sums are saved.
const (
	mostFile  = 16 << 20
	saveAfter = 8 << 20
)

// Store keeps what came for one voyage in a directory: lines of OTLP JSON in otlp-NUMBER.jsonl, and Sums in sums.json.
//
// A line is written before its export is added and answered; sums.json names the place up to which lines are in its Sums. So
// whenever the process is killed, Load adds each line once, and a program that had no answer sends again what is then recognised.
type Store struct {
	dir    string
	keep   int64
	mu     sync.Mutex
	sums   Sums
	file   *os.File
	at     place // where the next line goes
	saved  place // up to where lines are in sums.json
	unlock func(gone bool)
}

// place is a position in the files of lines.
type place struct {
	File   int   `json:"file"`
	Offset int64 `json:"offset"`
}

// saved is what sums.json has.
type savedSums struct {
	Place place `json:"place"`
	Sums  *Sums `json:"sums"`
}

// ErrOpen is the error of Open for a directory that another Store has open, in this process or another.
var ErrOpen = errors.New("it is in use by another process")

// Open opens the store in a directory, which it makes. The lines are kept within keep bytes, and LeastKeep at least.
func Open(dir string, keep int64) (*Store, error) {
	if err := whole.MakeDir(dir, 1, 0o700); err != nil {
		return nil, err
	}
	unlock, err := lockfile.TryLock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("telemetry in %s: %w: %w", dir, ErrOpen, err)
	}
	s := &Store{dir: dir, keep: max(keep, LeastKeep), unlock: unlock}
	if err := s.load(); err != nil {
		unlock(false)
		return nil, err
	}
	return s, nil
}

// load reads the sums and goes on behind the last whole line.
func (s *Store) load() error {
	sums, at, end, err := load(s.dir)
	if err != nil {
		return err
	}
	s.sums, s.saved, s.at = *sums, at, end
	if info, err := os.Stat(lines(s.dir, s.at.File)); s.at.Offset > 0 && (err != nil || info.Size() < s.at.Offset) {
		s.at = place{File: s.at.File + 1} // somebody removed lines: their sums stay
	}
	s.at.File = max(s.at.File, 1)
	s.file, err = os.OpenFile(lines(s.dir, s.at.File), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := s.file.Truncate(s.at.Offset); err != nil { // the rest was not written whole
		return errors.Join(err, s.file.Close())
	}
	return nil
}

// add stamps what came from a source, writes it down and adds it to the sums.
func (s *Store) add(source Source, e export) error {
	source.stampExport(e)
	line, err := e.line()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return fs.ErrClosed
	}
	if s.at.Offset > 0 && s.at.Offset+int64(len(line)) > mostFile {
		if err := s.next(); err != nil {
			return err
		}
	}
	if err := s.drop(int64(len(line))); err != nil {
		return err
	}
	if _, err := s.file.WriteAt(line, s.at.Offset); err != nil {
		return errors.Join(err, s.file.Truncate(s.at.Offset))
	}
	s.at.Offset += int64(len(line))
	s.sums.add(e)
	if s.at.Offset-s.saved.Offset > saveAfter {
		return s.save()
	}
	return nil
}

// save writes sums.json. The lines that are in it are on the disk then.
func (s *Store) save() error {
	if s.at == s.saved {
		return nil
	}
	if err := s.file.Sync(); err != nil {
		return err
	}
	data, err := json.Marshal(savedSums{s.at, &s.sums})
	if err != nil {
		return err
	}
	if err := whole.Write(sumsFile(s.dir), data, 0o600); err != nil {
		return err
	}
	s.saved = s.at
	return nil
}

// next begins another file of lines. All earlier files are in the sums that are saved then.
func (s *Store) next() error {
	if err := s.save(); err != nil {
		return err
	}
	to := place{File: s.at.File + 1}
	f, err := os.OpenFile(lines(s.dir, to.File), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_ = s.file.Close() // it is on the disk
	s.file, s.at, s.saved = f, to, to
	return nil
}

// drop removes the oldest files of lines until there is room for more bytes.
func (s *Store) drop(more int64) error {
	if s.at.Offset > 0 { // there is room for all of this file
		return nil
	}
	files, err := listLines(s.dir)
	if err != nil {
		return err
	}
	sizes := make([]int64, len(files))
	var all int64
	for i, n := range files {
		if info, err := os.Stat(lines(s.dir, n)); err == nil {
			sizes[i] = info.Size()
		}
		all += sizes[i]
	}
	for i, n := range files {
		if n == s.at.File || all+max(more, mostFile) <= s.keep {
			break
		}
		if err := os.Remove(lines(s.dir, n)); err != nil {
			return err
		}
		all -= sizes[i]
	}
	return nil
}

// View calls look with the Sums, which it must not keep or change.
func (s *Store) View(look func(*Sums)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look(&s.sums)
}

// Close saves the sums.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.save(), s.file.Close())
	s.file = nil
	s.unlock(false)
	return err
}

func sumsFile(dir string) string { return filepath.Join(dir, "sums.json") }

func lines(dir string, n int) string { return filepath.Join(dir, fmt.Sprintf("otlp-%08d.jsonl", n)) }

// listLines returns the numbers of the files of lines, the oldest first.
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
