// Package shiplog keeps the hub's copy of a ship's journal: lines of JSON that readers follow by their place in the file.
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

// File is the log of one ship. It is not safe for use at the same time.
type File struct {
	f       *os.File
	journal string          // that the newest line came from
	seq     int64           // of that line
	torn    bool            // the file may end in a piece of a line
	size    int64           // of what came since it was opened
	end     int64           // size of the file
	most    int64           // size from which on it is thinned
	recent  []fleet.LogLine // the end of the file as it was found
}

// Open opens a log and finds where it ends; a torn last line is cut off.
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
		if !line.IsProvisioning() { // which tells nothing of the agent
			l.recent = append(l.recent, line)
		}
	}
}

// Journal names the journal that the newest line came from.
func (l *File) Journal() string { return l.journal }

// LastSeq is the place of the newest line in its journal.
func (l *File) LastSeq() int64 { return l.seq }

// Recent returns the lines at the end of the file as they were found when it was opened, once.
func (l *File) Recent() []fleet.LogLine {
	recent := l.recent
	l.recent = nil
	return recent
}

// ResumeAt returns where to go on in a ship's journal that is now end long. A journal other than
// before is read from its beginning; a journal that lost its end in a crash goes on where it broke
// off.
func (l *File) ResumeAt(journal string, end int64) int64 {
	if journal != l.journal {
		l.journal, l.seq = journal, 0
	}
	l.seq = max(0, min(l.seq, end))
	return l.seq
}

// Append writes lines of the ship's journal, and returns how many bytes they have, including lines that a full log
// leaves out. Full says once that the log leaves out lines from here on, "" otherwise. After an error none of the lines
// counts.
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

// Write writes lines that are of no journal in one piece, or none of them.
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
