package telemetry

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ocaptain/fleet/telemetry/usage"

	"github.com/oklog/ulid/v2"

	"ocaptain/fleet/provider/lockfile"
	"ocaptain/sync/whole"
)

// Limits of a spool in bytes: of a file, of all files, and of one delivered line.
const (
	spoolFile  = 1 << 20
	spoolKeep  = 64 << 20
	mostPacked = 600 << 10
)

// Spool keeps the exports of a ship's agent as lines in a directory until helm has them. Beyond its limit it drops the oldest. Each
// process that opens the spool begins another file, so that a place always means the same line.
type Spool struct {
	mu sync.Mutex
	files
	unlock func(gone bool)
}

// OpenSpool opens the spool in a directory, and makes the directory if it is missing.
func OpenSpool(dir string) (*Spool, error) {
	if err := whole.MakeDir(dir, 1, 0o700); err != nil {
		return nil, err
	}
	unlock, err := lockfile.TryLock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("telemetry in %s: %w: %w", dir, ErrOpen, err)
	}
	s := &Spool{files: files{dir: dir, keep: spoolKeep, most: spoolFile}, unlock: unlock}
	if err := s.begin(); err != nil {
		unlock(false)
		return nil, err
	}
	return s, nil
}

// begin opens a new file after the existing ones. A spool without files gets a new id.
func (s *Spool) begin() error {
	numbers, err := listLines(s.dir)
	if err != nil {
		return err
	}
	last := 0
	if len(numbers) > 0 {
		last = numbers[len(numbers)-1]
	}
	if _, err := SpoolID(s.dir); err != nil || last == 0 {
		if err := whole.Write(idFile(s.dir), []byte(ulid.Make().String()+"\n"), 0o600); err != nil {
			return err
		}
	}
	return s.open(place{File: last + 1})
}

func idFile(dir string) string { return filepath.Join(dir, "id") }

// SpoolID returns the id of a spool. It changes when the spool starts over.
func SpoolID(dir string) (string, error) {
	if err := checkRegular(idFile(dir)); err != nil {
		return "", err
	}
	id, err := os.ReadFile(idFile(dir))
	if err == nil && len(bytes.TrimSpace(id)) == 0 {
		err = errors.New("it is empty")
	}
	return strings.TrimSpace(string(id)), err
}

// checkRegular returns an error unless the file is a regular one: a ship may put anything in its place, and reading that may
// never end.
func checkRegular(file string) error {
	info, err := os.Lstat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", file)
	}
	return err
}

// add writes an export without its source, which helm sets when it is delivered.
func (s *Spool) add(e export) error {
	line, err := e.line()
	if err != nil {
		return err
	}
	if err := checkLine(line); err != nil {
		return invalid(err)
	}
	if packed, err := pack(line); err != nil || len(packed) > mostPacked {
		return invalid(errors.Join(err, errLarge))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.renew(); err != nil {
		return err
	}
	if s.isFull(line) {
		if err := s.next(); err != nil {
			return err
		}
	}
	return s.write(line)
}

// renew begins another file if the current one was removed.
func (s *Spool) renew() error {
	_, err := os.Lstat(lines(s.dir, s.at.File))
	if s.file == nil || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_ = s.file.Close()
	if err := whole.MakeDir(s.dir, 1, 0o700); err != nil {
		return err
	}
	return s.begin()
}

// Close closes the spool. Its lines stay.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	s.unlock(false)
	return err
}

// Parcel is a part of a spool that is sent to helm.
type Parcel struct {
	Spool  string `json:"spool"`
	File   int    `json:"file"`
	Offset int64  `json:"offset"` // offset of the first line
	Lines  []byte `json:"lines"`  // compressed with gzip
}

// maxParcel bounds the lines of a parcel that has several, in bytes.
const maxParcel = 512 << 10

// ReadSpool returns a parcel with the lines of a spool after from, none if there are none. to is the place up to
// which the spool is delivered once helm has the parcel.
func ReadSpool(dir string, from usage.Delivered) (p Parcel, to usage.Delivered, err error) {
	id, err := SpoolID(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return p, from, nil
	}
	if err != nil {
		return p, from, err
	}
	if id != from.Spool {
		from = usage.Delivered{Spool: id}
	}
	all, at, err := readNext(dir, place{from.File, from.Offset})
	from.File, from.Offset = at.File, at.Offset
	if err != nil || len(all) == 0 {
		return p, from, err
	}
	p = Parcel{Spool: id, File: at.File, Offset: at.Offset}
	if p.Lines, err = pack(all); err != nil {
		return p, from, err
	}
	from.Offset += int64(len(all))
	return p, from, nil
}

// readNext returns the complete lines in a directory after a place, as many as one parcel has, and the place where they
// begin.
func readNext(dir string, from place) (all []byte, at place, err error) {
	numbers, err := listLines(dir)
	if err != nil {
		return nil, from, err
	}
	for _, n := range numbers {
		if n < from.File {
			continue
		}
		if n > from.File {
			from = place{File: n}
		}
		if info, err := os.Lstat(lines(dir, n)); err == nil && (!info.Mode().IsRegular() || info.Size() > spoolFile+mostLine) {
			continue // no spool wrote this file
		}
		all, err := readSome(lines(dir, n), from.Offset)
		if err != nil && !errors.Is(err, fs.ErrNotExist) || len(all) > 0 { // a missing file was just dropped
			return all, from, err
		}
	}
	return nil, from, nil
}

// readSome returns the next complete lines of a file, as many as one parcel has.
func readSome(file string, from int64) (all []byte, err error) {
	for line, err := range readLines(file, from) {
		if err != nil {
			return nil, err
		}
		if len(all) > 0 && len(all)+len(line) > maxParcel {
			break
		}
		all = append(all, line...)
	}
	return all, nil
}

// pack compresses lines.
func pack(lines []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(lines)
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}

// ForgetDelivered removes the files of a spool that were delivered, except the last.
func ForgetDelivered(dir string, d usage.Delivered) error {
	numbers, err := listLines(dir)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if n >= d.File {
			break
		}
		if err := os.Remove(lines(dir, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
