package wire

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
)

func FuzzReply(f *testing.F) {
	f.Add([]byte(`{"Commit":"` + strings.Repeat("a", 40) + `","Dir":"/tmp/x"}` + "\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p Reply
		if ReadLine(bufio.NewReader(bytes.NewReader(b)), 1024, &p) != nil || p.Check() != nil {
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
