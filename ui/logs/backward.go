package logs

import (
	"bytes"
	"io"
	"os"
)

// longestLine bounds a line of a log file, in bytes; longer lines are skipped.
const longestLine = 1 << 20

// Sizes of blocks. The first block at the end of a file is small, as it is often enough.
const (
	firstBlock = 16 << 10
	laterBlock = 128 << 10
)

// backward reads the lines of a file from its end to its beginning.
type backward struct {
	f     io.ReaderAt
	end   int64  // the blocks from end on have been read
	buf   []byte // the last block read, and the rest of its last line
	lines []byte // the part of buf that is still to return
	rest  []byte // the end of a line that begins before end
	skip  bool   // the line of rest is too long
	size  int64  // of the next block
}

// newBackward returns a backward for the lines before end, which must be the end of a whole line.
func newBackward(f io.ReaderAt, end int64) *backward {
	return &backward{f: f, end: end, size: firstBlock}
}

// previousLine returns the next line towards the beginning with its offset, io.EOF at the beginning
// of the file. The line has no line end and is valid until the next call.
func (b *backward) previousLine() ([]byte, int64, error) {
	for {
		if i := bytes.LastIndexByte(b.lines, '\n'); i >= 0 {
			line, at := b.lines[i+1:], b.end+int64(i)+1
			b.lines = b.lines[:i]
			line, ok := b.joinRest(line)
			if ok {
				return line, at, nil
			}
			continue
		}
		if b.end == 0 {
			if b.lines == nil && b.rest == nil && !b.skip {
				return nil, 0, io.EOF
			}
			line, ok := b.joinRest(b.lines)
			b.lines, b.rest = nil, nil
			if ok {
				return line, 0, nil
			}
			return nil, 0, io.EOF
		}
		if err := b.read(); err != nil {
			return nil, 0, err
		}
	}
}

// joinRest appends the rest of a line to its beginning. It returns false for a line that is too long.
func (b *backward) joinRest(line []byte) ([]byte, bool) {
	if len(b.rest) > 0 {
		line = append(append(make([]byte, 0, len(line)+len(b.rest)), line...), b.rest...)
	}
	ok := !b.skip && len(line) < longestLine
	b.rest, b.skip = nil, false
	return line, ok
}

// read reads the block before.
func (b *backward) read() error {
	if b.skip = b.skip || len(b.rest)+len(b.lines) > longestLine; b.skip {
		b.rest = nil
	} else if len(b.lines) > 0 {
		b.rest = append(append(make([]byte, 0, len(b.lines)+len(b.rest)), b.lines...), b.rest...)
	}
	n := min(b.end, b.size)
	b.size = laterBlock
	if int64(cap(b.buf)) < n {
		b.buf = make([]byte, n)
	}
	b.lines = b.buf[:n]
	if _, err := b.f.ReadAt(b.lines, b.end-n); err != nil {
		return err
	}
	b.end -= n
	return nil
}

// wholeLines returns the offset at which the last whole line of a file ends; a writer may still be writing
// the rest.
func wholeLines(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 4<<10)
	for end := info.Size(); end > 0; {
		n := min(end, int64(len(buf)))
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
		if len(buf) < 64<<10 {
			buf = make([]byte, 64<<10)
		}
	}
	return 0, nil
}
