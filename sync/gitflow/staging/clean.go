package staging

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"ocaptain/sync/worktree"
)

// lookClean is Look for a tree that agrees with the private index and with HEAD. It returns false if they differ, or
// if only git can compare them.
func (t Tree) lookClean(ctx context.Context) (s Status, clean bool) {
	x, err := readIndex(t.Path(PrivateIndex), t.Oid)
	if err != nil || !x.isPlain() || !t.agrees(x) || !x.hasAll(t.Dir) {
		return s, false
	}
	branch, err := t.Head(ctx)
	if err != nil || !strings.HasPrefix(branch, "refs/heads/") {
		return s, false
	}
	found, err := t.Resolve(ctx, "HEAD^{commit}", "HEAD^{tree}")
	if err != nil || found[0] == "" || found[1] != build(x.entries, "", t.Oid, new([]*folder)).id {
		return s, false
	}
	return Status{Commit: found[0], Branch: branch}, true
}

// mostRead bounds how many bytes of files agrees reads.
const mostRead = 1 << 20

// agrees reports whether each file of the index is in the tree with the content and mode that the index has. It reads
// files whose times differ from the index, up to mostRead. It returns false for a tree with submodules.
func (t Tree) agrees(x *index) bool {
	left, linked := int64(mostRead), map[string]bool{}
	for _, e := range x.entries {
		name := filepath.Join(t.Dir, e.path)
		info, err := os.Lstat(name)
		if err != nil || !e.hasMode(info) || t.beyondLink(filepath.Dir(e.path), linked) {
			return false
		}
		if e.same(info, x.written) {
			continue
		}
		left -= info.Size()
		if left < 0 || time.Since(worktree.ChangeTime(info)) <= clockStep || !e.hasContent(name, info) {
			return false
		}
	}
	return true
}

// errUnknown means that a tree has a file or directory that its index lacks.
var errUnknown = errors.New("not in the index")

// hasAll reports whether the index has all files below dir, and a file in each directory. If it returns false, git
// has to tell which files are ignored, or part of another repository.
func (x *index) hasAll(dir string) bool {
	known := make(map[string]bool, len(x.entries)) // for each path of the index, whether it is a directory
	for _, e := range x.entries {
		known[e.path] = false
		for d := path.Dir(e.path); d != "." && !known[d]; d = path.Dir(d) {
			known[d] = true
		}
	}
	return nil == fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		isDir, is := known[name]
		switch {
		case err != nil:
			return err
		case name == ".git" && d.IsDir():
			return fs.SkipDir
		case name != "." && name != ".git" && (!is || isDir != d.IsDir()):
			return errUnknown
		}
		return nil
	})
}
