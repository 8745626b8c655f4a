package term

import (
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"ocaptain/ui/term/sgr"
)

func TestTitleIsSafeAndBounded(t *testing.T) {
	s := New(20, 2, 0)
	for data, want := range map[string]string{
		"\x1b]2;work\x07":                    "work",
		"\x1b]0;over\u202egnp.exe\x1b\\":     "overgnp.exe",
		"\x1b]2;c1 \u009b31m\x07":            "c1 ",
		"\x1b]2;good\x07\x1b]2;\xff\xfe\x07": "good",
		"\x1b]2;one\x07\x1b_two\x1b\\":       "one", // tmux takes it from an APC too
		"\x1b]2;one\x07\x1b]9;two\x07":       "one",
	} {
		write(s, data)
		if s.Title() != want {
			t.Errorf("title of %q is %q and should be %q", data, s.Title(), want)
		}
	}
	write(s, "\x1b]2;"+strings.Repeat("日", 100_000)+"\x07")
	if n := len(s.Title()); n > maxTitle || n < maxTitle-3 || !utf8.ValidString(s.Title()) {
		t.Errorf("a long title has %d bytes: %.20q", n, s.Title())
	}
	for range 100 {
		write(s, "\x1b[22;0t")
	}
	if len(s.titles) != maxTitles {
		t.Errorf("%d titles are kept", len(s.titles))
	}
}

func TestWhatNeverEndsIsBounded(t *testing.T) {
	s := New(20, 4, 10)
	for _, data := range []string{
		"\x1b]2;" + strings.Repeat("x", 1<<20),
		"\x1b\\\x1bP" + strings.Repeat("x", 1<<20),
		"\x1b\\\x1b_" + strings.Repeat("x", 1<<20),
		"\x1b\\\x1b[" + strings.Repeat("1;", 1<<20) + "m",
		"\x1b[" + strings.Repeat("9", 1<<20) + "A",
		"\x1b[" + strings.Repeat("!", 1<<20) + "A",
		"e" + strings.Repeat("\u0301", 1<<20),
		strings.Repeat("e\u0301\b", 1<<18),
		strings.Repeat("\u200d", 1<<20),
		strings.Repeat("\x1b[999999999S\x1b[999999999L\x1b[999999999@", 1<<10),
	} {
		write(s, data)
		if err := bounded(s); err != nil {
			t.Errorf("after %.20q: %v", data, err)
		}
	}
}

func TestSizesAreClamped(t *testing.T) {
	for _, c := range [][4]int{{0, 0, 1, 1}, {-5, 3, 1, 3}, {1 << 40, 1 << 40, maxCols, maxRows}, {80, 24, 80, 24}} {
		s := New(c[0], c[1], -1)
		if cols, rows := s.Size(); cols != c[2] || rows != c[3] {
			t.Errorf("New(%d, %d) is %dx%d", c[0], c[1], cols, rows)
		}
		s = New(10, 10, 10)
		s.Resize(c[0], c[1])
		if cols, rows := s.Size(); cols != c[2] || rows != c[3] {
			t.Errorf("Resize(%d, %d) is %dx%d", c[0], c[1], cols, rows)
		}
	}
}

func TestVersions(t *testing.T) {
	s := New(20, 3, 10)
	write(s, "one\r\ntwo\r\nthree")
	top, middle, changes := s.Version(0), s.Version(1), s.Changes()
	write(s, "\x1b[c\x1b[6n\x1b]11;?\x07")
	if s.Changes() != changes {
		t.Error("queries change something")
	}
	write(s, "\x1b[3;1Hx")
	if s.Version(0) != top || s.Version(1) != middle || s.Changes() == changes {
		t.Error("a change of one row is one of another")
	}
	write(s, "\r\n")
	if s.Version(-1) != top || s.Version(0) != middle {
		t.Error("a row that moved has a new version")
	}
	for _, data := range []string{"\x1b[H", "\x1b[?25l", "\a", "\x1b]2;t\x07", "\x1b[5 q", "\x1b[?2004h"} {
		changes = s.Changes()
		if write(s, data); s.Changes() == changes {
			t.Errorf("%q changes nothing", data)
		}
	}
	before := []uint64{s.Version(-1), s.Version(0), s.Version(1), s.Version(2)}
	s.Resize(10, 3)
	for i, v := range before {
		if s.Version(i-1) == v {
			t.Errorf("row %d has the version it had before the resize", i-1)
		}
	}
	if s.Version(99) != 0 || s.Version(-99) != 0 {
		t.Error("rows that are not there have versions")
	}
}

func TestModesAndCursor(t *testing.T) {
	s := New(20, 3, 0)
	write(s, "\x1b[?1;9;1004;1006;2004h\x1b=\x1b[3 q")
	want := Modes{AppCursor: true, AppKeypad: true, BracketedPaste: true, Focus: true, Mouse: X10Mouse, MouseSGR: true}
	if s.Modes() != want {
		t.Errorf("modes are %+v", s.Modes())
	}
	if c := s.Cursor(); c != (Cursor{0, 0, true, UnderlineShape, true}) {
		t.Errorf("cursor is %+v", c)
	}
	write(s, "\x1b[?1049h\x1b[6 q\x1b[?25l"+xs(20))
	if c := s.Cursor(); c != (Cursor{19, 0, false, Bar, false}) {
		t.Errorf("cursor is %+v", c)
	}
	if !s.Modes().AltScreen {
		t.Error("the alternate screen is not shown")
	}
	write(s, "\a\a\x1b]2;t\a")
	if s.bells != 2 {
		t.Errorf("the bell rang %d times", s.bells)
	}
}

func TestCell(t *testing.T) {
	s := New(6, 2, 0)
	write(s, "a\x1b[1;38;2;1;2;3m日\x1b[me\u0301")
	bold := sgr.Style{Fg: sgr.RGB(1, 2, 3), Attrs: sgr.Bold}
	for x, want := range []Cell{{"a", 1, sgr.Style{}}, {"日", 2, bold}, {"", 0, bold}, {"e\u0301", 1, sgr.Style{}}, {" ", 1, sgr.Style{}}, {" ", 1, sgr.Style{}}, {" ", 1, sgr.Style{}}} {
		if got := s.CellAt(x, 0); got != want {
			t.Errorf("cell %d is %+v and should be %+v", x, got, want)
		}
	}
	if r, g, b := bold.Fg.RGB(); bold.Fg.Kind() != sgr.RGBColor || r != 1 || g != 2 || b != 3 {
		t.Errorf("colour is %v %d,%d,%d", bold.Fg.Kind(), r, g, b)
	}
	if got := s.CellAt(-1, 5); got != (Cell{" ", 1, sgr.Style{}}) {
		t.Errorf("a cell outside is %+v", got)
	}
}

// The screen prints characters newer than the C library, because another tmux knows them.
func TestNewCharactersArePrinted(t *testing.T) {
	s := New(10, 1, 0)
	write(s, "\U0001fae9x\u0380y")
	for x, want := range map[int]string{0: "\U0001fae9", 2: "x", 3: "\u0380", 4: "y"} {
		if got := s.CellAt(x, 0).Text; got != want {
			t.Errorf("cell %d is %q and should be %q", x, got, want)
		}
	}
}

// A screen made narrow keeps the newest of the short lines, and makes no others.
func TestScrollbackMadeNarrow(t *testing.T) {
	s := New(200, 10, 1000)
	for range 1010 {
		write(s, xs(199)+"y\r\n")
	}
	write(s, "end")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.Resize(2, 10)
	runtime.ReadMemStats(&after)
	if got := string(s.AppendRow(nil, -1, 0, 2)); s.History() != 1000 || got != "xx" {
		t.Errorf("%d rows, the last one is %q", s.History(), got)
	}
	if n := after.Mallocs - before.Mallocs; n > 20_000 {
		t.Errorf("%d allocations", n)
	}
}
