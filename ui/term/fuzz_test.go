package term

import (
	"bytes"
	"fmt"
	"testing"
)

// seeds adds the fuzzer's first inputs.
func seeds(f *testing.F, add func(data []byte)) {
	f.Helper()
	for _, group := range []map[string]string{printing, moving, erasing, scrolling, styling, switching, parsing} {
		for _, data := range group {
			add([]byte(data))
		}
	}
	for seed := range uint64(20) {
		for _, c := range generated("full", seed, 90).chunks {
			add(c.data)
		}
	}
	for _, data := range []string{
		"\x1b[1;30r\x1b[S", "\x1b[2147483647b\x1b[2147483647S\x1b[2147483647@\x1b[2147483647L\x1b[2147483647T",
		"\xff\x00\xff\x0a\x00\x00", "\x1b]0;" + string(bytes.Repeat([]byte("x"), 5000)),
	} {
		add([]byte(data))
	}
}

// apply writes data to s; a byte 0xff and the two bytes after it are a resize.
func apply(s *Screen, data []byte) {
	for len(data) > 0 {
		i := bytes.IndexByte(data, 0xff)
		if i < 0 || i+2 >= len(data) {
			break
		}
		_, _ = s.Write(data[:i])
		s.Resize(int(data[i+1])-2, int(data[i+2])/2-2)
		data = data[i+3:]
	}
	_, _ = s.Write(data)
}

// bounded checks that a screen keeps no more than allowed, and nothing out of range.
func bounded(s *Screen) error {
	cols, rows := s.Size()
	if c := s.Cursor(); c.X < 0 || c.X >= cols || c.Y < 0 || c.Y >= rows {
		return fmt.Errorf("cursor is %d,%d on %dx%d", c.X, c.Y, cols, rows)
	}
	if s.top < 0 || s.bottom >= rows || s.top > s.bottom || len(s.lines) != rows || len(s.tabs) != cols {
		return fmt.Errorf("region %d to %d, %d lines, %d tabs on %dx%d", s.top, s.bottom, len(s.lines), len(s.tabs), cols, rows)
	}
	if s.History() > s.past.limit || s.scrolled > s.History() {
		return fmt.Errorf("%d rows of scrollback, %d to come back", s.History(), s.scrolled)
	}
	if len(s.decoder.str) > maxString || len(s.title) > 2*maxTitle || len(s.titles) > maxTitles {
		return fmt.Errorf("%d bytes of a string, title of %d, %d titles", len(s.decoder.str), len(s.title), len(s.titles))
	}
	for y := -s.History(); y < rows; y++ {
		l := s.lineAt(y)
		if len(l.cells) > maxCols+2 || len(l.marks) > 2*maxCols+4 {
			return fmt.Errorf("row %d has %d cells and %d clusters", y, len(l.cells), len(l.marks))
		}
		for x, c := range l.cells {
			if c.text&mark != 0 && int(c.text&runeBits) >= len(l.marks) {
				return fmt.Errorf("cell %d,%d has cluster %d of %d", x, y, c.text&runeBits, len(l.marks))
			}
		}
		for x := 0; x < cols; {
			c := s.CellAt(x, y)
			if c.Width < 1 || x+c.Width > cols || c.Text == "" {
				return fmt.Errorf("cell %d,%d is %+v", x, y, c)
			}
			x += c.Width
		}
	}
	return nil
}

func FuzzWrite(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		s := New(40, 10, 20)
		apply(s, data)
		if err := bounded(s); err != nil {
			t.Error(err)
		}
	})
}

// Any split of the bytes gives the same screen.
func FuzzChunks(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, uint8(1), uint8(7)) })
	f.Fuzz(func(t *testing.T, data []byte, first, then uint8) {
		whole, parts := New(40, 10, 20), New(40, 10, 20)
		_, _ = whole.Write(data)
		size := int(first)%32 + 1
		for rest := data; len(rest) > 0; size = int(then)%64 + 1 {
			n := min(size, len(rest))
			_, _ = parts.Write(rest[:n])
			rest = rest[n:]
		}
		if whole.Cursor() != parts.Cursor() || whole.Modes() != parts.Modes() || whole.Title() != parts.Title() ||
			whole.bells != parts.bells || whole.History() != parts.History() || whole.x != parts.x {
			t.Fatalf("%+v %+v %q and in parts %+v %+v %q", whole.Cursor(), whole.Modes(), whole.Title(), parts.Cursor(), parts.Modes(), parts.Title())
		}
		for y := -whole.History(); y < whole.rows; y++ {
			for x := range whole.cols {
				if whole.CellAt(x, y) != parts.CellAt(x, y) {
					t.Fatalf("cell %d,%d is %+v and in parts %+v", x, y, whole.CellAt(x, y), parts.CellAt(x, y))
				}
			}
		}
	})
}

func FuzzAppendRow(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, uint8(3), uint8(30)) })
	f.Fuzz(func(t *testing.T, data []byte, from, to uint8) {
		s := New(40, 10, 20)
		apply(s, data)
		for y := -s.History() - 1; y <= s.rows; y++ {
			for _, window := range [][2]int{{0, s.cols}, {int(from) % 50, int(to) % 60}, {-3, s.cols + 3}} {
				if err := sound(s, y, window[0], window[1]); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
