package changes

import (
	"bufio"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ocaptain/fleet/clean"
)

func TestNumstat(t *testing.T) {
	got := numstat("1\t2\ta b.txt\x00-\t-\tpic\x003\t0\t\x00old\x00new\x00garbage\x00")
	want := []File{{"a b.txt", 1, 2}, {"pic", -1, -1}, {"new", 3, 0}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// A hunk with more or fewer lines than promised does not affect the lines after it.
func TestWrongHunks(t *testing.T) {
	p := parser{}
	for _, tt := range []struct {
		line string
		kind Kind
	}{
		{" a.txt | 2 +-", Note},
		{"diff --git a/x b/x", Head},
		{"@@ -1,9 +1,9 @@", Hunk},
		{"+x", Added},
		{"", Context},
		{"diff --git a/y b/y", Head},
		{"--- a/y", Meta},
		{"@@ -1 +1 @@", Hunk},
		{"-x", Removed},
		{"\\ No newline at end of file", Note},
		{"+y", Added},
		{"+z", Meta},
		{"@@ nonsense", Hunk},
		{"@@ -1,-5 +1,99999999999999999999 @@", Hunk},
		{"diff --git a/z b/z", Head},
	} {
		if got := p.classify(tt.line); got != tt.kind {
			t.Errorf("%q is %d, want %d", tt.line, got, tt.kind)
		}
	}
}

func TestSpaces(t *testing.T) {
	for in, want := range map[string]string{
		"+\tx": "+    x", " a\tb": " a   b", "-\t\t.": "-        .", "+abcd\te": "+abcd    e", "plain": "plain",
	} {
		if got := spaces(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := spaces(strings.Repeat("語", 10_000)); len(got) > longest+4 || !utf8.ValidString(got) {
		t.Errorf("%d bytes", len(got))
	}
}

// A line that is too long is cut off, and the next line is read as usual.
func TestLongLine(t *testing.T) {
	var got []Line
	patch := "diff --git a/x b/x\n@@ -0,0 +1,2 @@\n+" + strings.Repeat("x", 200_000) + "\n+y"
	if err := scanPatch(bufio.NewReader(strings.NewReader(patch)), func(l Line) error { got = append(got, l); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 4 || len(got[2].Text) != clean.Longest || got[3] != (Line{Added, "+y"}) {
		t.Errorf("%d lines, the third of %d bytes, the last %v", len(got), len(got[2].Text), got[3])
	}
}

func FuzzScan(f *testing.F) {
	f.Add("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+\x1b[31mb\n")
	f.Add("@@ -1,2 +3,4 @@\r\n\\ x\n\x00\n")
	f.Fuzz(func(t *testing.T, patch string) {
		n := 0
		err := scanPatch(bufio.NewReader(strings.NewReader(patch)), func(l Line) error {
			n++
			l.Text = spaces(l.Text)
			if len(l.Text) > 4*clean.Longest || strings.ContainsFunc(l.Text, unicode.IsControl) || l.Kind > Removed {
				t.Fatalf("%d %q", l.Kind, l.Text)
			}
			return nil
		})
		if want := strings.Count(patch+"\n", "\n"); err != nil || n > want {
			t.Fatalf("%d lines of %d, %v", n, want, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("abc\nship-0\n2026-03-14T12:00:00Z\nsubject\nKey: value\n\x00def\n")
	f.Add("1\t2\t\x00a\x00b\x00")
	f.Fuzz(func(t *testing.T, out string) {
		all, err := parseLog(strings.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			for _, text := range []string{c.ID, c.Author, c.Subject} {
				if strings.ContainsFunc(text, unicode.IsControl) {
					t.Fatalf("not clean: %q", text)
				}
			}
			if len(c.Trailers) > 20 {
				t.Fatalf("%d trailers", len(c.Trailers))
			}
		}
		numstat(out)
	})
}
