package term

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ocaptain/ui/term/sgr"
)

// glyph is a character with its style. Comparing rows as lists of glyphs ignores which cell holds a
// combining character.
type glyph struct {
	r  rune
	st sgr.Style
}

type glyphs []glyph

// trim drops invisible blanks at the end.
func (g glyphs) trim() glyphs {
	for len(g) > 0 && g[len(g)-1].r == ' ' && ofBlank(g[len(g)-1].st) == (sgr.Style{}) {
		g = g[:len(g)-1]
	}
	return g
}

// text returns the characters without blanks.
func (g glyphs) text() string {
	var b strings.Builder
	for _, c := range g {
		if c.r != ' ' {
			b.WriteRune(c.r)
		}
	}
	return b.String()
}

// ofBlank drops from a style what is invisible on a blank.
func ofBlank(st sgr.Style) sgr.Style {
	if st.Attrs&(sgr.Reverse|sgr.Strike|sgr.Overline) != 0 || st.Underline != sgr.NoUnderline {
		return st
	}
	return sgr.Style{Bg: st.Bg}
}

func (g glyphs) String() string {
	var b strings.Builder
	var last sgr.Style
	for _, c := range g {
		if c.st != last {
			fmt.Fprintf(&b, "‹%s›", strings.NewReplacer("\x1b[", "", "m", "").Replace(string(sgr.AppendChange(nil, last, c.st))))
			last = c.st
		}
		b.WriteRune(c.r)
	}
	return b.String()
}

// capturer parses the output of capture-pane -e -N.
type capturer struct {
	st  sgr.Style
	acs bool
}

func (c *capturer) row(t testing.TB, line string) glyphs {
	t.Helper()
	var out glyphs
	for i := 0; i < len(line); {
		switch line[i] {
		case 0x1b:
			end := strings.IndexByte(line[i:], 'm')
			if end < 0 || line[i+1] != '[' {
				t.Fatalf("capture has %q", line[i:])
			}
			c.sgr(line[i+2 : i+end])
			i += end + 1
			continue
		case 0x0e, 0x0f:
			c.acs = line[i] == 0x0e
			i++
			continue
		}
		for _, r := range line[i:] {
			i += len(string(r))
			if c.acs && r < 128 && lineDrawing[r] != 0 {
				r = lineDrawing[r]
			}
			out = append(out, glyph{r, c.st})
			break
		}
	}
	return out.trim()
}

// sgr reads tmux's own form: attributes by number, kinds of underline as 4:2, and overline as 5:3.
func (c *capturer) sgr(params string) {
	f := strings.Split(params, ";")
	number := func(i int) int {
		n, _ := strconv.Atoi(f[i])
		return n
	}
	st := &c.st
	attrs := map[int]sgr.Attr{1: sgr.Bold, 2: sgr.Faint, 3: sgr.Italic, 5: sgr.Blink, 7: sgr.Reverse, 8: sgr.Hidden, 9: sgr.Strike}
	for i := 0; i < len(f); i++ {
		if head, tail, ok := strings.Cut(f[i], ":"); ok {
			if head == "4" {
				st.Underline = sgr.Underline(tail[0] - '0')
			} else {
				st.Attrs |= sgr.Overline
			}
			continue
		}
		switch n := number(i); {
		case n == 0:
			*st = sgr.Style{}
		case attrs[n] != 0:
			st.Attrs |= attrs[n]
		case n == 4:
			st.Underline = sgr.SingleUnderline
		case n == 38 || n == 48 || n == 58:
			var col sgr.Color
			if number(i+1) == 5 {
				col = sgr.Indexed(number(i + 2))
				i += 2
			} else {
				col = sgr.RGB(number(i+2), number(i+3), number(i+4))
				i += 4
			}
			*map[int]*sgr.Color{38: &st.Fg, 48: &st.Bg, 58: &st.UnderlineColor}[n] = col
		case n >= 30 && n <= 37:
			st.Fg = sgr.Basic(n - 30)
		case n == 39:
			st.Fg = 0
		case n >= 40 && n <= 47:
			st.Bg = sgr.Basic(n - 40)
		case n == 49:
			st.Bg = 0
		case n >= 90 && n <= 97:
			st.Fg = sgr.Basic(n - 82)
		case n >= 100 && n <= 107:
			st.Bg = sgr.Basic(n - 92)
		}
	}
}

// capture splits the output of capture-pane into rows.
func capture(t testing.TB, out string) []glyphs {
	t.Helper()
	var c capturer
	var rows []glyphs
	for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		rows = append(rows, c.row(t, line))
	}
	return rows
}

// glyphs returns row y as it is kept, half characters included, up to the last written column, as
// capture-pane does.
func (s *Screen) glyphs(y int) glyphs {
	var out glyphs
	l := s.lineAt(y)
	for x := range min(l.used, s.cols) {
		c := l.cellAt(x)
		if c.text&pad != 0 {
			continue
		}
		for _, r := range string(l.cellText(c)) {
			out = append(out, glyph{r, c.toStyle()})
		}
	}
	return out.trim()
}
