package telemetry

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/provider/lockfile"
	"ocaptain/sync/whole"
)

// DefaultKeep and LeastKeep are for how many bytes of lines a Store keeps: by default, and at least.
const (
	DefaultKeep = 256 << 20
	LeastKeep   = 32 << 20
)

// Sizes in bytes: of a file at which the next one is begun, and of the lines after which sums are saved.
const (
	mostFile  = 16 << 20
	saveAfter = 8 << 20
)

// Store keeps the data of one voyage in a directory: lines of OTLP JSON in otlp-NUMBER.jsonl, and Sums in sums.json.
//
// A line is written before its export is added to the Sums and acknowledged; sums.json names the place up to which lines are in
// its Sums. So whenever the process is killed, Load adds each line once, and a program without an acknowledgement sends the
// export again, which is then recognised.
type Store struct {
	mu sync.Mutex
	files
	sums   usage.Sums
	saved  place      // place up to which lines are in sums.json
	onward *Forwarder // woken at each new line, nil for none
	unlock func(gone bool)
}

// savedSums is the content of sums.json.
type savedSums struct {
	Place place       `json:"place"`
	Sums  usage.State `json:"sums"`
}

// ErrOpen is the error of Open for a directory that another Store has open, in this process or another.
var ErrOpen = errors.New("it is in use by another process")

// Open opens the store in a directory, and makes the directory if it is missing. It keeps at most keep bytes of
// lines, but at least LeastKeep.
func Open(dir string, keep int64) (*Store, error) {
	if err := whole.MakeDir(dir, 1, 0o700); err != nil {
		return nil, err
	}
	unlock, err := lockfile.TryLock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("telemetry in %s: %w: %w", dir, ErrOpen, err)
	}
	s := &Store{files: files{dir: dir, keep: max(keep, LeastKeep), most: mostFile}, unlock: unlock}
	if err := s.load(); err != nil {
		unlock(false)
		return nil, err
	}
	return s, nil
}

// load reads the sums and continues after the last complete line.
func (s *Store) load() error {
	sums, at, end, err := load(s.dir)
	if err != nil {
		return err
	}
	s.sums, s.saved = *sums, at
	if info, err := os.Stat(lines(s.dir, end.File)); end.Offset > 0 && (err != nil || info.Size() < end.Offset) {
		end = place{File: end.File + 1} // somebody removed lines; their sums stay
	}
	end.File = max(end.File, 1)
	return s.open(end)
}

// add stamps data with its source, writes it and adds it to the sums.
func (s *Store) add(source usage.Source, e export) error {
	e.stamp(source)
	line, err := e.line()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addLine(e, line)
}

// addLine writes an export and adds it to the sums. The caller holds s.mu.
func (s *Store) addLine(e export, line []byte) error {
	if s.isFull(line) {
		if err := s.next(); err != nil {
			return err
		}
	}
	if err := s.write(line); err != nil {
		return err
	}
	e.addTo(&s.sums)
	s.onward.poke()
	if s.at.Offset-s.saved.Offset > saveAfter {
		return s.save()
	}
	return nil
}

// save writes sums.json, after it has synced the lines to the disk.
func (s *Store) save() error {
	if s.at == s.saved {
		return nil
	}
	if err := s.file.Sync(); err != nil {
		return err
	}
	data, err := json.Marshal(savedSums{s.at, s.sums.State()})
	if err != nil {
		return err
	}
	if err := whole.Write(sumsFile(s.dir), data, 0o600); err != nil {
		return err
	}
	s.saved = s.at
	return nil
}

// next begins another file, after it has saved sums that include all earlier files.
func (s *Store) next() error {
	if err := s.save(); err != nil {
		return err
	}
	if err := s.files.next(); err != nil {
		return err
	}
	s.saved = s.at
	return nil
}

// View calls look with the Sums, which look must not keep or change.
func (s *Store) View(look func(*usage.Sums)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	look(&s.sums)
}

// Close saves the sums and closes the store.
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
