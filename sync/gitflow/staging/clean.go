package staging

import (
	"context"
	"path/filepath"
	"strings"
	"time"
)

// lookClean is Look for a tree that agrees with the private index and with HEAD. It returns false if they differ, or
// if only git can compare them.
func (t Tree) lookClean(ctx context.Context) (s Status, clean bool) {
	x, err := readIndex(t.Path(PrivateIndex), t.Oid)
	if err != nil || !x.isPlain() || !t.agrees(x) {
		return s, false
	}
	branch, err := t.Head(ctx)
	if err != nil || !strings.HasPrefix(branch, "refs/heads/") {
		return s, false
	}
	found, err := t.Resolve(ctx, "HEAD^{commit}", "HEAD^{tree}")
	if err != nil || found[0] == "" || found[1] != build(x.entries, 0, t.Oid, new([]*folder)).id {
		return s, false
	}
	return Status{Commit: found[0], Branch: branch}, true
}

// mostRead bounds how many bytes of files agrees reads.
const mostRead = 1 << 20

// agrees reports whether each file of the index is in the tree with the content and mode that the index has, and the
// tree has nothing else. It reads files whose times differ from the index, up to mostRead. It returns false for a tree
// with submodules, and where git has to tell which files are ignored.
func (t Tree) agrees(x *index) bool {
	left := int64(mostRead)
	visit := func(e *indexEntry, now stat, err error) bool {
		if err != nil || !e.hasMode(now) {
			return false
		}
		if e.same(now, x.written) {
			return true
		}
		left -= now.size
		return left >= 0 && time.Since(now.changed) > clockStep && e.hasContent(filepath.Join(t.Dir, e.path), now)
	}
	return x.scan(t.Dir, scanner{visit, func() bool { return false }})
}
