package clean_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/clean/cleantest"
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
		"\u06001":                         "\u06001", // a visible format character
		"bad \xff\xfe end":                "bad \uFFFD end",
		"\x1b[2J\x1b[H\x1bPq#0\x1b\\gone": "gone",
	} {
		if got := clean.Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestText(t *testing.T) {
	if got := clean.Text("a\x1b[1mb\r\n\tc\rd\x00\n"); got != "ab\n\tcd\n" {
		t.Errorf("got %q", got)
	}
}

func TestLongLineIsCut(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 2*clean.Longest), strings.Repeat("語", clean.Longest), strings.Repeat("\xff", 2*clean.Longest)} {
		got := clean.Line(s)
		if len(got) > clean.Longest || !utf8.ValidString(got) {
			t.Errorf("%d bytes, valid %v", len(got), utf8.ValidString(got))
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[31mred", "\x1b]8;;http://x\x1b\\l", "\u009b2J", "\x9b2J", "\xe2\x80\xae", "\x1bP\x1b[A", "a\x18\x1a\x1b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := clean.Line(s)
		if len(line) > clean.Longest || !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl) || strings.ContainsFunc(line, cleantest.Unfit) {
			t.Fatalf("Line(%q) = %q", s, line)
		}
		if again := clean.Line(line); again != line {
			t.Fatalf("not stable: %q, then %q", line, again)
		}
		text := clean.Text(s)
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
			return r != '\n' && cleantest.Unfit(r)
		}) {
			t.Fatalf("Text(%q) = %q", s, text)
		}
	})
}

func TestHostile(t *testing.T) {
	for _, s := range []string{cleantest.Hostile, cleantest.Long, cleantest.Hostile + cleantest.Long} {
		cleantest.Check(t, "Line", clean.Line(s), cleantest.Lines)
		cleantest.Check(t, "Text", clean.Text(s), cleantest.Texts)
		raw, err := json.Marshal(s[:min(len(s), 1000)])
		if err != nil {
			t.Fatal(err)
		}
		shown := clean.JSON(raw)
		cleantest.Check(t, "JSON", string(shown), cleantest.JSON)
		var got, want string
		if json.Unmarshal(shown, &got) != nil || json.Unmarshal(raw, &want) != nil || got != want {
			t.Errorf("JSON changes %q to %q", want, got)
		}
	}
}

// Marks that pile up on one cell would be drawn over the lines around it.
func TestMarks(t *testing.T) {
	pile := "a" + strings.Repeat("\u0301", 900) + "b\u0301"
	few := "a" + strings.Repeat("\u0301", 8) + "b\u0301"
	for name, got := range map[string]string{"Line": clean.Line(pile), "Text": clean.Text(pile), "Whole": clean.Whole(pile)} {
		if got != few {
			t.Errorf("%s: %q", name, got)
		}
	}
	raw, err := json.Marshal(pile)
	if err != nil {
		t.Fatal(err)
	}
	got := clean.JSON(raw)
	var same string
	if err := json.Unmarshal(got, &same); err != nil || same != pile {
		t.Errorf("JSON: %v: another text", err)
	}
	if n := strings.Count(string(got), "\u0301"); n != 9 {
		t.Errorf("JSON: %d marks", n)
	}
}
