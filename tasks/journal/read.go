package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Damaged is the kind of a line that holds no record. Readers that switch on kinds skip it; others can count such
// lines.
const Damaged = ""

// ErrShort means that the journal ends before the offset to read from: it was cut or replaced since
// it was read.
var ErrShort = errors.New("journal is shorter than it was")

// Read calls fn for each record from offset from on and returns the offset to continue from. It skips a last line
// without a newline: its writer is still writing it, or has died. A missing file reads as empty. If fn fails, Read
// returns the error and the offset of that record.
func Read(path string, from int64, fn func(Record) error) (next int64, err error) {
	file, err := os.Open(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && from == 0:
		return 0, nil
	case errors.Is(err, os.ErrNotExist):
		return from, fmt.Errorf("%s is missing: %w", path, ErrShort)
	case err != nil:
		return from, fmt.Errorf("read journal: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return from, fmt.Errorf("read journal: %w", err)
	}
	if info.Size() < from {
		return from, fmt.Errorf("%s has %d bytes, expected %d: %w", path, info.Size(), from, ErrShort)
	}
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return from, fmt.Errorf("read journal: %w", err)
	}
	lines := bufio.NewReaderSize(file, 64<<10)
	next = from
	for {
		line, size, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return next, nil
		}
		if err != nil {
			return next, fmt.Errorf("read journal %s: %w", path, err)
		}
		rec := decode(line)
		rec.Seq = next + size
		if err := fn(rec); err != nil {
			return next, err
		}
		next = rec.Seq
	}
}

// readLine returns the next line and its size in the file, newline included. The line is nil if it
// is longer than MaxLine. An unfinished line gives io.EOF.
func readLine(r *bufio.Reader) (line []byte, size int64, err error) {
	var long []byte
	for {
		piece, err := r.ReadSlice('\n')
		size += int64(len(piece))
		switch {
		case err == nil && long == nil:
			return piece, size, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, 0, err
		case size <= MaxLine:
			long = append(long, piece...)
		}
		if err == nil {
			if size > MaxLine {
				long = nil
			}
			return long, size, nil
		}
	}
}

// decode returns the record on a line, of kind Damaged if there is none.
func decode(line []byte) Record {
	var rec Record
	if broken(line) || json.Unmarshal(line, &rec) != nil || rec.Kind == "" || rec.At.IsZero() {
		return Record{Torn: bytes.HasSuffix(line, []byte(torn))}
	}
	return rec
}
