package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"ocaptain/fleet"
)

// longestLine bounds a line of a log file, in bytes; a longer one is skipped.
const longestLine = 1 << 20

// logFiles returns the ships that have a log, in order of their names.
func logFiles(d fleet.Dir) []string {
	entries, _ := os.ReadDir(d.Logs())
	var ships []string
	for _, e := range entries {
		if ship, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok && e.Type().IsRegular() {
			ships = append(ships, ship)
		}
	}
	return ships
}

// pastLines shows the lines that are there, merged by time: all of them, or the last
// ones when last is not negative. It returns where each log ends, for followLogs.
func pastLines(ctx context.Context, d fleet.Dir, q logQuery, last int, show func(logLine) error) (map[string]int64, error) {
	ends := map[string]int64{}
	var sources []*source
	defer func() {
		for _, s := range sources {
			s.file.Close()
		}
	}()
	for _, ship := range logFiles(d) {
		if len(q.ships) > 0 && !slices.Contains(q.ships, ship) {
			continue
		}
		f, err := os.Open(d.Log(ship))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s := &source{file: f, query: q}
		sources = append(sources, s)
		if ends[ship], err = wholeLines(f); err != nil {
			return nil, err
		}
		if last < 0 {
			s.lines = bufio.NewReaderSize(io.NewSectionReader(f, 0, ends[ship]), 64<<10)
		} else if s.tail, err = lastLines(f, ends[ship], last, q); err != nil {
			return nil, err
		}
	}
	var merged []logLine
	err := merge(ctx, sources, func(l logLine) error {
		if last < 0 {
			return show(l)
		}
		merged = append(merged, l)
		return nil
	})
	for _, l := range merged[max(0, len(merged)-max(0, last)):] {
		if err == nil {
			err = show(l)
		}
	}
	return ends, err
}

// source is one log that is read from its beginning, or its last lines.
type source struct {
	file  *os.File
	query logQuery
	lines *bufio.Reader // nil when tail holds all that is wanted
	tail  []logLine
}

// next returns the next wanted line, false at the end.
func (s *source) next() (logLine, bool) {
	if s.lines == nil {
		if len(s.tail) == 0 {
			return logLine{}, false
		}
		l := s.tail[0]
		s.tail = s.tail[1:]
		return l, true
	}
	for {
		raw, err := readLine(s.lines)
		if err != nil {
			return logLine{}, false
		}
		if l, ok := parseLog(raw); ok && s.query.wants(l) {
			return l, true
		}
	}
}

// readLine reads up to a line end. Of a line that is too long it returns nothing.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	skip := false
	for {
		part, err := r.ReadSlice('\n')
		if skip = skip || len(line)+len(part) > longestLine; skip {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// merge hands over the lines of all sources by time. Lines of one ship keep their order.
func merge(ctx context.Context, sources []*source, show func(logLine) error) error {
	type head struct {
		logLine
		from *source
	}
	var heads []head
	for _, s := range sources {
		if l, ok := s.next(); ok {
			heads = append(heads, head{l, s})
		}
	}
	for n := 0; len(heads) > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := 0
		for i := range heads {
			if heads[i].At.Before(heads[first].At) {
				first = i
			}
		}
		if err := show(heads[first].logLine); err != nil {
			return err
		}
		if l, ok := heads[first].from.next(); ok {
			heads[first].logLine = l
		} else {
			heads = slices.Delete(heads, first, first+1)
		}
	}
	return nil
}

// wholeLines returns where the last whole line of a file ends; what follows is still being written.
func wholeLines(f *os.File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 32<<10)
	for end := info.Size(); end > 0; {
		n := min(end, int64(len(buf)))
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return 0, nil
}

// lastLines returns the last n wanted lines before end, reading backwards no further than needed.
func lastLines(f *os.File, end int64, n int, q logQuery) ([]logLine, error) {
	var found []logLine // newest first
	var rest []byte     // beginning of a line whose end was read already
	skip := false       // that line is too long
	buf := make([]byte, 64<<10)
	take := func(raw []byte) {
		if l, ok := parseLog(raw); ok && !skip && len(raw) < longestLine && q.wants(l) {
			found = append(found, l)
		}
		skip = false
	}
	for end > 0 && len(found) < n {
		size := min(end, int64(len(buf)))
		if _, err := f.ReadAt(buf[:size], end-size); err != nil {
			return nil, err
		}
		end -= size
		block := buf[:size]
		for len(found) < n {
			i := bytes.LastIndexByte(block, '\n')
			if i < 0 {
				break
			}
			take(append(slices.Clone(block[i+1:]), rest...))
			rest, block = nil, block[:i]
		}
		if skip = skip || len(rest)+len(block) > longestLine; skip {
			rest = nil
		} else {
			rest = append(slices.Clone(block), rest...)
		}
	}
	if end == 0 && len(found) < n {
		take(rest)
	}
	slices.Reverse(found)
	return found, nil
}
