package clean

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                           "plain",
		"two\nlines\tand a tab":           "two lines and a tab",
		"\x1b[31mred\x1b[0m":              "red",
		"\x1b]0;owned\x07title":           "title",
		"\x1b]52;c;ZXZpbA==\x1b\\paste":   "paste",
		"a\u009b31mb":                     "ab",
		"\x9b31mbyte":                     "\uFFFD31mbyte",
		"bell\a back\b del\x7f":           "bell back del",
		"naïve 日本語 ✓":                     "naïve 日本語 ✓",
		"over\u202egnp.exe":               "overgnp.exe",
		"ship\u200b-\u20600\u00ad\u3164":  "ship-0",
		"\U000e0061tag\ufe0f":             "tag",
		"\u06001":                         "\u06001", // a format that shows
		"bad \xff\xfe end":                "bad \uFFFD end",
		"\x1b[2J\x1b[H\x1bPq#0\x1b\\gone": "gone",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestText(t *testing.T) {
	if got := Text("a\x1b[1mb\r\n\tc\rd\x00\n"); got != "ab\n\tcd\n" {
		t.Errorf("got %q", got)
	}
}

func TestLongLineIsCut(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 2*Longest), strings.Repeat("語", Longest), strings.Repeat("\xff", 2*Longest)} {
		got := Line(s)
		if len(got) > Longest || !utf8.ValidString(got) {
			t.Errorf("%d bytes, valid %v", len(got), utf8.ValidString(got))
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[31mred", "\x1b]8;;http://x\x1b\\l", "\u009b2J", "\x9b2J", "\xe2\x80\xae", "\x1bP\x1b[A", "a\x18\x1a\x1b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := Line(s)
		if len(line) > Longest || !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl) || strings.ContainsFunc(line, hidden) {
			t.Fatalf("Line(%q) = %q", s, line)
		}
		if again := Line(line); again != line {
			t.Fatalf("not stable: %q, then %q", line, again)
		}
		text := Text(s)
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\t' || hidden(r)
		}) {
			t.Fatalf("Text(%q) = %q", s, text)
		}
	})
}
