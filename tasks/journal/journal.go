// Package journal keeps append-only files of JSON lines. They survive a crash at any byte, and
// several processes may write one at the same time.
package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// MaxLine is the longest line in bytes, including its newline. Longer records cannot be written,
// and readers skip longer lines.
const MaxLine = 4 << 20

// torn ends an unfinished line, so that no reader ever takes it for a record. A line that lacks only its newline is
// unfinished too: earlier readers did not count it.
const torn = "!torn\n"

// Record is one entry.
type Record struct {
	// Seq is the offset just past the record, from which to read on.
	Seq int64 `json:"-"`

	At   time.Time       `json:"at"`
	Kind string          `json:"kind"` // what happened, such as "task.claimed" or "ship.started"
	Data json.RawMessage `json:"data,omitempty"`

	// From names an entry of another log if the record is a copy of it, "" otherwise.
	From string `json:"from,omitempty"`

	// Torn says that the writer of a damaged line did not finish it, and so never reported success.
	Torn bool `json:"-"`
}

// Journal appends to one file. Its methods are safe for concurrent use, and
// several processes may have the same file open.
type Journal struct {
	path string

	mu      sync.Mutex
	file    *os.File
	end     int64        // where this process left the file, always after a newline
	durable int64        // our records before this offset are on the disk
	syncing bool         // one caller syncs on behalf of all
	synced  *sync.Cond   // signals a change of durable or failed
	failed  error        // the error by which the disk refused; the journal takes no record until this is mended
	tried   time.Time    // when mending was last tried
	kept    kept         // this process's records that may not be on the disk yet
	left    stamp        // the stamp of the file after this process's last record
	size    atomic.Int64 // the size of the file according to left
	foreign bool         // another process has written or cut the file

	flush func(*os.File) error // (*os.File).Sync, except in tests
}

// Open opens the journal at path, and creates it if it is missing; its directory must exist.
func Open(path string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		file.Close()
		return nil, fmt.Errorf("open journal %s: %w", path, err)
	}
	j := &Journal{path: path, file: file, flush: (*os.File).Sync}
	j.synced = sync.NewCond(&j.mu)
	j.leave()
	return j, nil
}

// syncDir makes the creation of a file in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Path returns the path of the journal.
func (j *Journal) Path() string { return j.path }

// AddRecord adds a record without waiting for the disk: the record survives a crash of this
// process, but not of the machine. If it returns an error, nothing was added.
func (j *Journal) AddRecord(kind string, data any) (seq int64, err error) {
	return j.NoteAt(time.Now(), kind, data)
}

// NoteAt is AddRecord with a given time.
func (j *Journal) NoteAt(at time.Time, kind string, data any) (seq int64, err error) {
	return j.Copy(at, kind, data, "")
}

// Copy is NoteAt for the copy of an entry of another log. from names that entry.
func (j *Journal) Copy(at time.Time, kind string, data any, from string) (seq int64, err error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return 0, fmt.Errorf("journal record %s: %w", kind, err)
	}
	return j.AddRecords([]Record{{At: at, Kind: kind, Data: raw, From: from}})
}

// AddRecords is AddRecord for several records. If it returns an error, none was added.
func (j *Journal) AddRecords(all []Record) (seq int64, err error) {
	var lines []byte
	for _, r := range all {
		line, err := encode(r)
		if err != nil {
			return 0, err
		}
		lines = append(lines, line...)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.mended(); err != nil {
		return 0, err
	}
	if err := lockFile(j.file); err != nil {
		return 0, fmt.Errorf("lock journal %s: %w", j.Path(), err)
	}
	defer unlock(j.file)
	info, err := j.file.Stat()
	if err != nil {
		return 0, fmt.Errorf("append to journal: %w", err)
	}
	start := info.Size()
	if stampFrom(info) != j.left {
		j.foreign, j.end = true, -1
	}
	defer j.leave()
	if clean, err := j.endsInNewline(start); err != nil {
		return 0, fmt.Errorf("append to journal: %w", err)
	} else if !clean {
		lines = append([]byte(torn), lines...)
	}
	if _, err := j.file.Write(lines); err != nil {
		_ = j.file.Truncate(start) // if this fails too, the next writer marks the unfinished record as torn
		return 0, fmt.Errorf("append to journal: %w", err)
	}
	j.end = start + int64(len(lines))
	j.kept.add(start, lines)
	return j.end, nil
}

// endsInNewline reports whether a record may begin at offset size.
func (j *Journal) endsInNewline(size int64) (bool, error) {
	if size == 0 || size == j.end {
		return true, nil
	}
	var last [1]byte
	if _, err := j.file.ReadAt(last[:], size-1); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return last[0] == '\n', nil
}

// Sync waits until all records added before are on the disk. After it fails, the journal takes no
// more records until a later call has brought the old ones to the disk.
func (j *Journal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.mended(); err != nil {
		return err
	}
	for want := j.end; j.durable < want && j.failed == nil; {
		if j.syncing {
			j.synced.Wait()
			continue
		}
		j.syncing = true
		end, file, flush := j.end, j.file, j.flush
		j.mu.Unlock()
		err := flush(file)
		j.mu.Lock()
		j.settle(end, err)
	}
	return j.failed
}

// settle records the result of a sync: our records up to end are on the disk, or err says why some may be missing.
func (j *Journal) settle(end int64, err error) {
	j.syncing = false
	if err != nil {
		j.failed = fmt.Errorf("write journal to disk: %w%s", err, j.kept.advice())
		j.tried = time.Now()
	} else {
		j.failed, j.durable = nil, end
		if j.kept.forgetBefore(end); end == j.end {
			j.kept = kept{}
		}
	}
	j.synced.Broadcast()
}

// Close waits for records being added and for a sync, and closes the file.
func (j *Journal) Close() error {
	err := j.Sync()
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(err, j.file.Close())
}

// encode returns the line of a record.
func encode(r Record) ([]byte, error) {
	if r.Kind == "" {
		return nil, errors.New("journal record has no kind")
	}
	r.At = r.At.UTC()
	line, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("journal record %s: %w", r.Kind, err)
	}
	line = append(sealed(line), '\n')
	if len(line) > MaxLine {
		return nil, fmt.Errorf("journal record %s has %d bytes, more than the %d that fit a line", r.Kind, len(line), MaxLine)
	}
	return line, nil
}
