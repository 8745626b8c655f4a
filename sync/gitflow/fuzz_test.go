package gitflow

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
)

func FuzzStatus(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add([]byte("# branch.oid " + id + "\x00# branch.head main\x001 .M N... 100644 100644 100644 " + id + " " + id + " a b\x00? dir/\x00? new\nline\x00"))
	f.Add([]byte("u UU N... 100644 100644 100644 100644 " + id + " " + id + " " + id + " x\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parseStatus(b)
		if err == nil && s.commit != "" && !git.IsObjectID(s.commit) {
			t.Fatal(s.commit)
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
			if id != "" && !git.IsObjectID(id) {
				t.Fatal(id)
			}
		}
		if p.Dir != "" && (p.Dir[0] != '/' || strings.Contains(p.Dir, "..") && strings.Contains(p.Dir, "/../")) {
			t.Fatal(p.Dir)
		}
		for _, note := range p.notes(git.Limits{}) {
			if strings.Contains(note, "\n") {
				t.Fatalf("%q", note)
			}
		}
	})
}
