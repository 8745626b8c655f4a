package hub

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

func FuzzStatus(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add([]byte("# branch.oid " + id + "\x00# branch.head main\x001 .M N... 100644 100644 100644 " + id + " " + id + " a b\x00? dir/\x00? new\nline\x00"))
	f.Add([]byte("u UU N... 100644 100644 100644 100644 " + id + " " + id + " " + id + " x\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := staging.ParseStatus(b)
		if err == nil && s.Commit != "" && !git.IsObjectID(s.Commit) {
			t.Fatal(s.Commit)
		}
	})
}

func FuzzReply(f *testing.F) {
	f.Add([]byte(`{"Commit":"` + strings.Repeat("a", 40) + `","Dir":"/tmp/x"}` + "\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p wire.Reply
		if wire.ReadLine(bufio.NewReader(bytes.NewReader(b)), 1024, &p) != nil || p.Check() != nil {
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
		for _, note := range p.Notes(git.Limits{}) {
			if strings.Contains(note, "\n") {
				t.Fatalf("%q", note)
			}
		}
	})
}
