package logs

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
)

// ListShips returns the ships that have a log, in order of name.
func ListShips(d fleet.Dir) []string {
	entries, _ := os.ReadDir(d.LogsDir())
	var ships []string
	for _, e := range entries {
		if ship, ok := shipOf(e.Name()); ok && e.Type().IsRegular() {
			ships = append(ships, ship)
		}
	}
	return ships
}

// shipOf returns the ship of a log file; a ship's name never needs cleaning.
func shipOf(name string) (string, bool) {
	ship, ok := strings.CutSuffix(name, ".jsonl")
	return ship, ok && ship != "" && clean.Line(ship) == ship
}

// Ends says how far each ship's log was read.
type Ends map[string]int64

// ShowExisting shows the existing lines of all logs, merged by time: all lines, or the last ones
// when last is not negative. It returns how far it read, for Follow.
func ShowExisting(ctx context.Context, d fleet.Dir, q Query, last int, show func(Line) error) (Ends, error) {
	ends := Ends{}
	var sources []source
	var files []*os.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for _, ship := range ListShips(d) {
		if !q.wantsShip(ship) {
			continue
		}
		f, err := os.Open(d.LogFile(ship))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		if ends[ship], err = wholeLines(f); err != nil {
			return nil, err
		}
		if last < 0 {
			sources = append(sources, reading(io.NewSectionReader(f, 0, ends[ship]), q))
			continue
		}
		tail, err := lastLines(f, ends[ship], last, q)
		if err != nil {
			return nil, err
		}
		sources = append(sources, listed(tail))
	}
	if last < 0 {
		return ends, mergeByTime(ctx, sources, show)
	}
	var merged []Line
	err := mergeByTime(ctx, sources, func(l Line) error {
		merged = append(merged, l)
		return nil
	})
	for _, l := range merged[max(0, len(merged)-last):] {
		if err == nil {
			err = show(l)
		}
	}
	return ends, err
}

// source returns the next wanted line of one log, false at the end.
type source func() (Line, bool)

// reading returns a source that reads a log from its beginning.
func reading(r io.Reader, q Query) source {
	lines := bufio.NewReaderSize(r, 64<<10)
	return func() (Line, bool) {
		for {
			raw, _, err := readLine(lines)
			if err != nil {
				return Line{}, false
			}
			if l, ok := Parse(raw); ok && q.Wants(l) {
				return l, true
			}
		}
	}
}

// listed returns a source of lines that were already read.
func listed(lines []Line) source {
	return func() (Line, bool) {
		if len(lines) == 0 {
			return Line{}, false
		}
		l := lines[0]
		lines = lines[1:]
		return l, true
	}
}

// readLine reads up to a line end, and returns how many bytes it read. It returns no line when the
// line is longer than longestLine.
func readLine(r *bufio.Reader) (line []byte, length int64, err error) {
	skip := false
	for {
		part, err := r.ReadSlice('\n')
		length += int64(len(part))
		if skip = skip || len(line)+len(part) > longestLine; skip {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err == nil:
			return line, length, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, length, err
		}
	}
}

// mergeByTime shows the lines of all sources by time. Lines of one ship keep their order.
func mergeByTime(ctx context.Context, sources []source, show func(Line) error) error {
	type head struct {
		Line
		next source
	}
	var heads []head
	for _, next := range sources {
		if l, ok := next(); ok {
			heads = append(heads, head{l, next})
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
		if err := show(heads[first].Line); err != nil {
			return err
		}
		if l, ok := heads[first].next(); ok {
			heads[first].Line = l
		} else {
			heads = slices.Delete(heads, first, first+1)
		}
	}
	return nil
}

// lastLines returns the last n wanted lines before end. It reads backwards no further than needed.
func lastLines(f io.ReaderAt, end int64, n int, q Query) ([]Line, error) {
	var found []Line // newest first
	back := newBackward(f, end)
	for len(found) < n {
		raw, _, err := back.previousLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if l, ok := Parse(raw); ok && q.Wants(l) {
			found = append(found, l)
		}
	}
	slices.Reverse(found)
	return found, nil
}
