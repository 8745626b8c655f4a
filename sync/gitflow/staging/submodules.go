package staging

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// changedModules adds to s the submodules whose files differ from the commit in the index: a snapshot would not
// include these changes.
func (t Tree) changedModules(ctx context.Context, s *Status) {
	for _, m := range s.modules {
		dir := filepath.Join(t.Dir, m.path)
		files, err := os.ReadDir(dir)
		if err != nil || len(files) == 0 { // empty, as after a checkout by the hub
			continue
		}
		if !holds(ctx, dir, hex.EncodeToString(m.oid)) {
			s.inModules = append(s.inModules, m.path)
		}
	}
}

// holds reports whether a submodule's directory is an unchanged clone with commit checked out.
func holds(ctx context.Context, dir, commit string) bool {
	r := git.Repo{Dir: dir, GitDir: filepath.Join(dir, ".git")}
	if raw, err := os.ReadFile(r.GitDir); err == nil { // in a clone that git submodule made, .git is a file that names the directory
		r.GitDir = strings.TrimSpace(strings.TrimPrefix(string(raw), "gitdir:"))
		if !filepath.IsAbs(r.GitDir) {
			r.GitDir = filepath.Join(dir, r.GitDir)
		}
	}
	if _, err := os.Stat(r.Path("HEAD")); err != nil {
		return false
	}
	found, err := r.Resolve(ctx, "HEAD^{commit}")
	if err != nil || found[0] != commit {
		return false
	}
	changed, err := r.Output(ctx, "status", "--porcelain")
	return err == nil && changed == ""
}
