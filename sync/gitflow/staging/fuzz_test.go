package staging

import (
	"strings"
	"testing"

	"ocaptain/sync/gitflow/git"
)

func FuzzStatus(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add([]byte("# branch.oid " + id + "\x00# branch.head main\x001 .M N... 100644 100644 100644 " + id + " " + id + " a b\x00? dir/\x00? new\nline\x00"))
	f.Add([]byte("u UU N... 100644 100644 100644 100644 " + id + " " + id + " " + id + " x\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseStatus(b)
		if err == nil && s.Commit != "" && !git.IsObjectID(s.Commit) {
			t.Fatal(s.Commit)
		}
	})
}
