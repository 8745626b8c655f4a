package discoveries

import (
	"path/filepath"
	"testing"
)

// Find works in any directory of a repository or a linked worktree, for any revision. Without a commit it finds nothing.
func TestFind(t *testing.T) {
	r := newRepo(t)
	if f, err := Find(t.Context(), r.Dir, "HEAD"); err != nil || f.Commit != "" || f.Discoveries != nil {
		t.Fatalf("without a commit: %+v, %v", f, err)
	}
	r.commit(map[string]string{"sub/a": lines(0, 10), root + "x.md": note("gotcha", "It is so.", "sub/a")})
	first := r.git("rev-parse", "HEAD")
	linked := filepath.Join(t.TempDir(), "linked")
	r.git("worktree", "add", "-q", "-b", "other", linked)
	r.commit(map[string]string{"sub/a": lines(50, 60), "sub/b": "b"})
	for _, c := range []struct {
		dir, revision string
		stale         bool
	}{{r.Dir, "HEAD", true}, {filepath.Join(r.Dir, "sub"), "HEAD", true}, {linked, "HEAD", false}, {r.Dir, "refs/heads/other", false}, {linked, first, false}} {
		f, err := Find(t.Context(), c.dir, c.revision)
		if err != nil || len(f.Discoveries) != 1 || f.Discoveries[0].Stale != c.stale {
			t.Errorf("%s in %s: %+v, %v", c.revision, c.dir, f, err)
		}
	}
	if f, err := Find(t.Context(), t.TempDir(), "HEAD"); err == nil {
		t.Errorf("in no repository: %+v", f)
	}
}
