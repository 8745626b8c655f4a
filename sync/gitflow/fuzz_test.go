package gitflow

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

func FuzzStatus(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add([]byte("# branch.oid " + id + "\x00# branch.head main\x001 .M N... 100644 100644 100644 " + id + " " + id + " a b\x00? dir/\x00? new\nline\x00"))
	f.Add([]byte("u UU N... 100644 100644 100644 100644 " + id + " " + id + " " + id + " x\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parseStatus(b)
		if err == nil && s.commit != "" && !isOID(s.commit) {
			t.Fatal(s.commit)
		}
	})
}

func FuzzMerge(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add(id + "\x00100644 " + id + " 1\ta\x00100644 " + id + " 2\ta\x00\x001\x00a\x00CONFLICT (contents)\x00CONFLICT (content): Merge conflict in a\n\x00")
	f.Add(id + "\x00")
	f.Fuzz(func(t *testing.T, s string) {
		m, err := parseMerge(s)
		if err != nil {
			return
		}
		for _, c := range m.clashes {
			if c.why() == "" {
				t.Fatal("a clash without words")
			}
		}
	})
}

func FuzzReply(f *testing.F) {
	f.Add([]byte(`{"Commit":"` + strings.Repeat("a", 40) + `","Dir":"/tmp/x"}` + "\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p reply
		if readLine(bufio.NewReaderSize(bytes.NewReader(b), 1024), &p) != nil || p.check() != nil {
			return
		}
		for _, id := range append(p.Parked, p.Commit, p.Base) {
			if id != "" && !isOID(id) {
				t.Fatal(id)
			}
		}
		if p.Dir != "" && (p.Dir[0] != '/' || strings.Contains(p.Dir, "..") && strings.Contains(p.Dir, "/../")) {
			t.Fatal(p.Dir)
		}
		for _, note := range p.notes(Limits{}) {
			if strings.Contains(note, "\n") {
				t.Fatalf("%q", note)
			}
		}
	})
}

func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 a\x00" + strings.Repeat("x", 20) + "40000 b\x00" + strings.Repeat("y", 20)))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := (&walker{raw: 20}).parse(b)
		if err != nil {
			return
		}
		var n int
		for _, e := range entries {
			n += len(e.mode) + len(e.name) + 22
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
		if badPath(s) != "" {
			return
		}
		for part := range strings.SplitSeq(s, "/") {
			if strings.EqualFold(part, ".git") || part == ".." || part == "" {
				t.Fatalf("%q passes", s)
			}
		}
	})
}
