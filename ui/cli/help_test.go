package cli

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Every page is laid out within the terminal's width, and no word of it gets lost.
func TestPages(t *testing.T) {
	files, err := fs.Glob(pages, "help/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "help/"), ".md")
		for _, width := range []int{60, 80, 120, 200} {
			b, out := testBridge(t, width)
			root := newRoot(b)
			if found, _, err := root.Find([]string{name}); err != nil || found == root {
				t.Fatalf("%s is the page of no command: add a line to topics.go", file)
			}
			root.SetArgs([]string{"help", name})
			if err := root.Execute(); err != nil {
				t.Fatal(err)
			}
			text := ansi.Strip(out.String())
			for line := range strings.Lines(text) {
				if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%s at %d: a line takes %d columns: %q", name, width, n, line)
				}
			}
			raw, _ := pages.ReadFile(file)
			sameLetters(t, name, string(raw), text)
		}
	}
}

// sameLetters compares the letters of a page column by column: a table is read down, not across.
func sameLetters(t *testing.T, name, page, laidOut string) {
	t.Helper()
	count := func(s string) map[rune]int {
		n := map[rune]int{}
		for _, r := range s {
			if !strings.ContainsRune("#|`*-─┼│ \n", r) {
				n[r]++
			}
		}
		return n
	}
	want, got := count(page), count(strings.ReplaceAll(laidOut, "-", ""))
	for r, n := range want {
		if got[r] != n {
			t.Errorf("%s: %q is there %d times, %d in the page", name, r, got[r], n)
		}
	}
}

// When output is not a terminal, printPage prints the Markdown.
func TestPageAsMarkdown(t *testing.T) {
	b, out := testBridge(t, 0)
	if err := b.printPage("faults"); err != nil {
		t.Fatal(err)
	}
	if raw, _ := pages.ReadFile("help/faults.md"); !bytes.Equal(out.Bytes(), raw) {
		t.Errorf("got:\n%s", out)
	}
}
