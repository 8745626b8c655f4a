// Package shiplog stores the hub's copy of a ship's journal, in lines of JSON. Readers continue from an offset in the
// file.
package shiplog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/sync/whole"
)

// File is the log of one ship. It is not safe for concurrent use.
type File struct {
	f       *os.File
	journal string          // the journal of the newest line
	seq     int64           // the place of the newest line in that journal
	torn    bool            // the file may end in a part of a line
	size    int64           // bytes that were added since it was opened
	end     int64           // size of the file
	most    int64           // size from which on only some lines are stored
	recent  []fleet.LogLine // the last lines in the file when it was opened
}

// Open opens a log, finds its end, and cuts off an incomplete last line.
func Open(path string) (*File, error) {
	if err := whole.MakeDir(filepath.Dir(path), 0, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	l := &File{f: f, most: maxLog}
	if err := l.readEnd(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

// readEnd reads the last part of the file, enough to know the agent's state.
func (l *File) readEnd() error {
	size, err := l.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	l.end = size
	const part = 1 << 20
	from := max(0, size-part)
	r := bufio.NewReaderSize(io.NewSectionReader(l.f, from, size-from), 1<<16)
	if from > 0 {
		if _, err := r.ReadBytes('\n'); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	for {
		raw, err := r.ReadBytes('\n')
		if err != nil {
			if len(raw) > 0 {
				return l.f.Truncate(size - int64(len(raw)))
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var line fleet.LogLine
		if json.Unmarshal(raw, &line) != nil {
			continue
		}
		if line.Journal != "" {
			l.journal, l.seq = line.Journal, line.Seq
		}
		if !line.IsProvisioning() { // such lines say nothing about the agent
			l.recent = append(l.recent, line)
		}
	}
}

// Journal returns the id of the journal that the newest line came from.
func (l *File) Journal() string { return l.journal }

// LastSeq returns the place of the newest line in its journal.
func (l *File) LastSeq() int64 { return l.seq }

// Recent returns the last lines in the file when it was opened; a second call returns none.
func (l *File) Recent() []fleet.LogLine {
	recent := l.recent
	l.recent = nil
	return recent
}

// ResumeAt returns the place from which to continue in a ship's journal whose length is end. A journal with a new id
// is read from its beginning. If a crash cut the journal, reading continues at its new end.
func (l *File) ResumeAt(journal string, end int64) int64 {
	if journal != l.journal {
		l.journal, l.seq = journal, 0
	}
	l.seq = max(0, min(l.seq, end))
	return l.seq
}

// Append writes lines of the ship's journal. It returns their size in bytes, including lines that a full log leaves
// out. full says once, in words, that the log leaves out lines from here on, and is "" otherwise. After an error, none
// of the lines was written.
func (l *File) Append(lines []fleet.LogLine) (size int64, full string, err error) {
	if len(lines) == 0 {
		return 0, "", nil
	}
	before, was := l.size, l.isThinned()
	if kept := l.keepFitting(lines); len(kept) > 0 {
		if err := l.Write(kept); err != nil {
			return 0, "", err
		}
	}
	last := lines[len(lines)-1]
	l.seq = last.Seq
	if !was && l.isThinned() {
		full = fmt.Sprintf("its log has %d MB: from here on it leaves out what the agent says and does", l.most>>20)
		err = l.Write([]fleet.LogLine{{At: last.At, Ship: last.Ship, Role: last.Role, Kind: "say", Text: full}})
	}
	return l.size - before, full, err
}

// Write writes lines that do not come from a journal: all or none of them.
func (l *File) Write(lines []fleet.LogLine) error {
	var buf []byte
	if l.torn {
		buf = append(buf, '\n')
	}
	for _, line := range lines {
		raw, err := json.Marshal(line)
		if err != nil {
			return err
		}
		buf = append(append(buf, raw...), '\n')
	}
	at, err := l.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := l.f.Write(buf); err != nil {
		cut := l.f.Truncate(at)
		l.torn = cut != nil
		return errors.Join(err, cut)
	}
	l.torn = false
	l.size += int64(len(buf))
	l.end = at + int64(len(buf))
	return nil
}

// Close closes the file.
func (l *File) Close() { _ = l.f.Close() }
