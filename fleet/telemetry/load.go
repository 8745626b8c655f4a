package telemetry

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"ocaptain/fleet/telemetry/usage"
)

// Load returns the Sums of the store in a directory, even while a process has it open. A missing directory has none.
func Load(dir string) (*usage.Sums, error) {
	sums, _, _, err := load(dir)
	if errors.Is(err, fs.ErrNotExist) { // a file was dropped after sums.json was read, which is newer now
		sums, _, _, err = load(dir)
	}
	return sums, err
}

// load returns the sums, the place in the data up to which the saved sums count, and the end of the last whole line.
func load(dir string) (sums *usage.Sums, saved, end place, err error) {
	var from savedSums
	sums = &usage.Sums{}
	data, err := os.ReadFile(sumsFile(dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, saved, end, err
	default:
		if err = json.Unmarshal(data, &from); err == nil {
			sums, err = from.Sums.Sums()
		}
		if err != nil {
			return nil, saved, end, fmt.Errorf("%s: %w; remove it, and the sums are counted again from the lines beside it", sumsFile(dir), err)
		}
	}
	files, err := listLines(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, saved, end, err
	}
	end = from.Place
	for _, n := range files {
		if n < from.Place.File {
			continue
		}
		if n > end.File {
			end = place{File: n}
		}
		for line, err := range readLines(lines(dir, n), end.Offset) {
			if err != nil {
				return nil, saved, end, err
			}
			end.Offset += int64(len(line))
			if e, ok, err := decodeLine(line); err == nil && ok {
				e.addTo(sums)
			}
		}
	}
	return sums, from.Place, end, nil
}

// readLines yields the complete lines of a file with their newlines. It leaves out an incomplete last line.
func readLines(file string, from int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := os.Open(file)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			yield(nil, err)
			return
		}
		r := bufio.NewReaderSize(f, 256<<10)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				if !errors.Is(err, io.EOF) {
					yield(nil, err)
				}
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}
