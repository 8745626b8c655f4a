package git

import (
	"strings"
	"testing"
)

func FuzzMerge(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add(id + "\x00100644 " + id + " 1\ta\x00100644 " + id + " 2\ta\x00\x001\x00a\x00CONFLICT (contents)\x00CONFLICT (content): Merge conflict in a\n\x00")
	f.Add(id + "\x00")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := parseMerge(s)
		if err != nil {
			return
		}
		for _, c := range m.Clashes {
			if c.Explain() == "" {
				t.Fatal("a clash without words")
			}
		}
	})
}

func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 a\x00" + strings.Repeat("x", 20) + "40000 b\x00" + strings.Repeat("y", 20)))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := parseTree(b, 20)
		if err != nil {
			return
		}
		var n int
		for _, e := range entries {
			n += len(e.Mode) + len(e.name) + 22
		}
		if n != len(b) {
			t.Fatalf("%d bytes of %d", n, len(b))
		}
	})
}

func FuzzBadPath(f *testing.F) {
	for _, s := range []string{"a/b", ".git/x", "a/.GIT", ".g\u200cit", "git~1/x", "..", "/a", ".git. .", ".git::$DATA", ".gitignore"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if BadPath(s) != "" {
			return
		}
		for part := range strings.SplitSeq(s, "/") {
			if strings.EqualFold(part, ".git") || part == ".." || part == "" {
				t.Fatalf("%q passes", s)
			}
		}
	})
}
