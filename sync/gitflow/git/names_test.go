package git

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// TestIsBranchName: IsBranchName and "git check-ref-format --branch" accept the same names.
func TestIsBranchName(t *testing.T) {
	dir := t.TempDir() // no repository, so that names such as @{-1} stand for no branch
	check := func(name string) {
		t.Helper()
		cmd := exec.Command("git", "check-ref-format", "--branch", name)
		cmd.Dir = dir
		if git, got := cmd.Run() == nil, IsBranchName(name); got != git {
			t.Errorf("%q is a branch: %v; git says %v", name, got, git)
		}
	}
	for _, name := range []string{
		"main", "feat/x", "feat/日本語", "feat/привет", "🚀", "ä", "a\u0308", "a\u00a0b", "a\u202eb", "a\xffb", `a"b`, "a'b", "a$b;c&d|e(f)g<h>i{j}", "a,b#c%d+e=f!g`h",
		"", "-", "-x", "a/-x", "HEAD", "a/HEAD", "HEAD/a", "head", "@", "a@", "@a", "@/a", "a@{b", "@{", "@{-1}", "@{u}", "a@b{",
		"/", "/a", "a/", "a//b", ".", ".a", "a/.b", "a.", "a./b", "a.b", "a..b", "...", "a.lock", "a.lock/b", "a.lock.b", ".lock", "a/.lock", "a.LOCK",
		"a b", " ", "a\tb", "a\nb", "a\x01", "a\x1f", "a\x7f", "a~", "a^b", "a:b", "a?", "a*", "a[b", "a]b", `a\b`, "refs/heads/x", strings.Repeat("a", 300),
	} {
		check(name)
	}
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "b", "HEAD", "-", ".", "/", "@", "{", "}", ".lock", "~", "^", ":", "?", "*", "[", `\`, " ", "\x7f", "é", "語", "🚀", "\xfe", "#", "'"}
	for range 300 {
		var name strings.Builder
		for range 1 + r.IntN(6) {
			name.WriteString(parts[r.IntN(len(parts))])
		}
		check(name.String())
	}
}
