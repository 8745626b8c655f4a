// Package golden compares screens with files. It passes drawn text through the terminal emulator first, so that the
// file shows the screen and not the bytes.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/ui/term/sgr"

	"ocaptain/ui/term"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Screen compares drawn lines, put on a terminal of that size, with the file
// testdata/<name>.golden. The file holds the text of the screen and, below, the styles
// of its cells, a letter for each, with a legend.
func Screen(t testing.TB, name, drawn string, width, height int) {
	t.Helper()
	s := term.New(width, height, 0)
	_, _ = s.Write([]byte("\x1b[?7l")) // a line that is too wide is cut off
	_, _ = s.Write([]byte(strings.ReplaceAll(drawn, "\n", "\r\n")))
	if n := strings.Count(drawn, "\n") + 1; n > height {
		t.Errorf("%s: %d lines were drawn on %d rows", name, n, height)
	}
	Compare(t, name, ScreenText(s))
}

// Compare compares text with the file testdata/<name>.golden.
func Compare(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: go test -update", err)
	}
	if got != string(want) {
		t.Errorf("%s is not as in %s; look at the difference, then: go test -update\ngot:\n%s\nwant:\n%s", name, path, got, want)
	}
}

// ScreenText writes a screen as text: its rows, then a letter for the style of each cell.
func ScreenText(s *term.Screen) string {
	width, height := s.Size()
	var text, styles, legend strings.Builder
	letters := map[sgr.Style]byte{{}: '.'}
	for y := range height {
		var row, look strings.Builder
		for x := 0; x < width; {
			c := s.CellAt(x, y)
			w := max(1, c.Width)
			if c.Text == "" {
				c.Text = " "
			}
			row.WriteString(c.Text)
			letter, known := letters[c.Style]
			if !known {
				letter = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[min(len(letters)-1, 61)]
				letters[c.Style] = letter
				fmt.Fprintf(&legend, "%c %s\n", letter, describe(c.Style))
			}
			look.WriteString(strings.Repeat(string(letter), w))
			x += w
		}
		text.WriteString(strings.TrimRight(row.String(), " ") + "\n")
		styles.WriteString(strings.TrimRight(look.String(), ".") + "\n")
	}
	return text.String() + "--- styles\n" + styles.String() + "---\n" + legend.String()
}

// describe writes a style in words.
func describe(s sgr.Style) string {
	var parts []string
	for i, name := range []string{"bold", "faint", "italic", "blink", "reverse", "hidden", "strike", "overline"} {
		if s.Attrs&(1<<i) != 0 {
			parts = append(parts, name)
		}
	}
	if s.Underline != sgr.NoUnderline {
		parts = append(parts, "underline")
	}
	if s.Fg != sgr.Color(0) {
		parts = append(parts, colour(s.Fg))
	}
	if s.Bg != sgr.Color(0) {
		parts = append(parts, "on "+colour(s.Bg))
	}
	return strings.Join(parts, " ")
}

func colour(c sgr.Color) string {
	if c.Kind() == sgr.RGBColor {
		r, g, b := c.RGB()
		return fmt.Sprintf("#%02x%02x%02x", r, g, b)
	}
	return fmt.Sprintf("colour %d", c.Index())
}

// Updating reports whether the test rewrites the golden files.
func Updating() bool { return *update }
