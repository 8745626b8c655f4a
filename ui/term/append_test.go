package term

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"ocaptain/ui/term/columns"

	"github.com/charmbracelet/x/ansi"
)

func write(s *Screen, data string) { _, _ = s.Write([]byte(data)) }

func TestAppendRow(t *testing.T) {
	for _, c := range []struct {
		name, data string
		from, to   int
		want       string
	}{
		{"plain", "hello", 0, 8, "hello   "},
		{"cut", "hello", 1, 3, "el"},
		{"nothing", "hello", 3, 3, ""},
		{"upside down", "hello", 3, 1, ""},
		{"before and behind", "hello", -2, 22, "  hello                 "},
		{"styled", "a\x1b[1;31mb\x1b[22mc\x1b[md", 0, 5, "a\x1b[1;31mb\x1b[0;31mc\x1b[md "},
		{"ends styled", "\x1b[4:3;58;5;9mab", 0, 2, "\x1b[4:3;58:5:9mab\x1b[m"},
		{"all attributes", "\x1b[1;2;3;4;5;7;8;9;53mx", 0, 1, "\x1b[1;2;3;5;7;8;9;53;4mx\x1b[m"},
		{"colours", "\x1b[97;44mx\x1b[38;5;1;48;2;1;2;3my", 0, 2, "\x1b[97;44mx\x1b[38;5;1;48;2;1;2;3my\x1b[m"},
		{"default again", "\x1b[31;44mx\x1b[39my", 0, 2, "\x1b[31;44mx\x1b[39my\x1b[m"},
		{"underline colour", "\x1b[4;58;2;1;2;3mx", 0, 1, "\x1b[4;58:2::1:2:3mx\x1b[m"},
		{"erased in colour", "\x1b[44m\x1b[K", 17, 20, "\x1b[44m   \x1b[m"},
		{"blanks have a background only", "\x1b[31;44ma b", 0, 4, "\x1b[31;44ma\x1b[39m \x1b[31mb\x1b[m "},
		{"wide", "日本語", 0, 6, "日本語"},
		{"wide, cut on the right", "日本語", 0, 5, "日本 "},
		{"wide, cut on the left", "\x1b[41m日本", 1, 4, "\x1b[41m 本\x1b[m"},
		{"wide, halved", "日本\x1b[1;2Hx", 0, 4, " x本"},
		{"combining", "e\u0301x", 0, 3, "e\u0301x "},
		{"selected emoji", "❤️x", 0, 3, "❤x "},
		{"skin", "👍🏽x", 0, 5, "👍  x"},
		{"family", "👨‍👩‍👧x", 0, 4, "👨x "},
		{"family, cut by tmux", "👩\u200d👩\u200d👧\u200d 日本", 0, 7, "👩 日本"},
		{"flag", "a🇩🇪b", 0, 4, "a🇩🇪b"},
		{"joiner, then ASCII", "👨\u200dab日c", 0, 7, "👨ab日c"},
		{"joiner at the start", "\u200da\u200d日", 0, 3, "a日"},
		{"flags", "🇩🇪🇫🇷x", 0, 5, "🇩🇪🇫🇷x"},
		{"half a flag", "🇩x🇪", 0, 3, " x "},
		{"flag, cut", "a🇩🇪", 0, 2, "a "},
		{"flags, cut on the left", "🇩🇪🇫🇷x", 1, 6, " 🇫🇷x "},
		{"flag of two colours", "🇩\x1b[31m🇪\x1b[mx", 0, 3, " \x1b[31m \x1b[mx"},
		{"vowel sign of its own", "aाb", 0, 3, "a b"},
		{"direction", "a\u202ebc", 0, 4, "abc "},
		{"no-break space", "a\u00a0b", 0, 3, "a\u00a0b"},
		{"private use", "\ue0b0x", 0, 2, "\ue0b0x"},
		{"hidden", "\x1b[8mx", 0, 1, "\x1b[8mx\x1b[m"},
	} {
		s := New(20, 2, 10)
		write(s, c.data)
		if got := string(s.AppendRow([]byte("> "), 0, c.from, c.to)); got != "> "+c.want {
			t.Errorf("%s: %q and should be %q", c.name, got, "> "+c.want)
		}
		if err := sound(s, 0, c.from, c.to); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAppendRowOfScrollback(t *testing.T) {
	s := New(20, 2, 2)
	write(s, "one\r\ntwo\r\n\x1b[32mthré\u0301e\x1b[m\r\nfour\r\nfive")
	for y, want := range map[int]string{-3: "     ", -2: "two  ", -1: "\x1b[32mthré\u0301e\x1b[m", 0: "four ", 1: "five ", 2: "     "} {
		if got := string(s.AppendRow(nil, y, 0, 5)); got != want {
			t.Errorf("row %d is %q and should be %q", y, got, want)
		}
	}
	if s.History() != 2 {
		t.Errorf("there are %d rows of scrollback", s.History())
	}
}

func TestSimpleCharactersJoinWithNothing(t *testing.T) {
	n := 0
	for r := rune(0x80); r < 0x20000; r++ {
		if !columns.StandsAlone(r) {
			continue
		}
		n++
		w := columns.Of(r)
		for text, width := range map[string]int{string(r): w, string(r) + " ": w + 1, "a" + string(r) + "b": w + 2, string(r) + string(r): 2 * w, "中" + string(r) + "가": w + 4} {
			if !columns.HasAgreedWidth([]byte(text), width) {
				t.Errorf("%U: %q is not %d wide to all", r, text, width)
			}
		}
	}
	t.Logf("%d characters", n)
}

// An appended row, written to another screen, shows the same as the original.
func TestAppendRowIsFaithful(t *testing.T) {
	for seed := range uint64(200) {
		s := New(testCols, testRows, 100)
		for _, c := range generated("common", seed, 200).chunks {
			_, _ = s.Write(c.data)
		}
		copied := New(testCols, testRows, 0)
		for y := range testRows {
			write(copied, fmt.Sprintf("\x1b[%dH%s", y+1, s.AppendRow(nil, y, 0, testCols)))
		}
		for y := range testRows {
			for x := range testCols {
				got, want := copied.CellAt(x, y), s.CellAt(x, y)
				if want.Text == " " {
					want.Style = ofBlank(want.Style)
				}
				if got != want {
					t.Fatalf("seed %d: cell %d,%d is %+v and should be %+v", seed, x, y, got, want)
				}
			}
		}
	}
}

// sound checks the promises of AppendRow for columns from to to of row y.
func sound(s *Screen, y, from, to int) error {
	row := string(s.AppendRow(nil, y, from, to))
	styled := false
	for rest := row; rest != ""; {
		if i := strings.IndexByte(rest, 'm'); rest[0] == 0x1b {
			if i < 2 || rest[1] != '[' || strings.Trim(rest[2:i], "0123456789;:") != "" {
				return fmt.Errorf("row %d has a sequence that is not SGR: %q", y, row)
			}
			styled = i > 2
			rest = rest[i+1:]
			continue
		}
		r := []rune(rest[:min(len(rest), 4)])[0]
		if r == unicode.ReplacementChar && !strings.HasPrefix(rest, "\uFFFD") || unicode.IsControl(r) ||
			r != columns.Joiner && unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return fmt.Errorf("row %d has %U: %q", y, r, row)
		}
		rest = rest[len(string(r)):]
	}
	if styled {
		return fmt.Errorf("row %d ends with a style: %q", y, row)
	}
	want := max(0, to-from)
	if got := ansi.StringWidth(row); got != want {
		return fmt.Errorf("row %d is %d wide by clusters and should be %d: %q", y, got, want, row)
	}
	if got := ansi.StringWidthWc(row); got != want {
		return fmt.Errorf("row %d is %d wide by characters and should be %d: %q", y, got, want, row)
	}
	if got := ansi.StringWidth("│" + row + "│"); got != want+2 {
		return fmt.Errorf("row %d in a frame is %d wide and should be %d: %q", y, got, want+2, row)
	}
	return nil
}
