package staging

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/worktree"
)

// Bounds of stageFew. For more or larger files, to start git costs little in comparison.
const (
	mostFew      = 200
	mostFewBytes = 4 << 20
)

// stageFew does what "git read-tree -m -u" does in prepare, for a few plain files: it writes the files of to into
// stageDir, and returns the index of to, with the times that the files have there. x is the private index; the tree
// agrees with it at each path of brought. stageFew returns nil if only git can do it: attributes may change how git
// writes a file. Then stageDir may have some of the files.
//
// A file that changes after the time of an index, with the time that its entry has, must not look unchanged. So the
// returned index gets a time from before the first change to the tree, and settle examines the entries that git does
// not trust in x.
func (t Tree) stageFew(ctx context.Context, to string, brought map[string]git.Change, x *index) *index {
	if len(brought) > mostFew || !x.isPlain() || !x.isWhole() || t.converts(ctx, x) || t.Unstage() != nil || os.Mkdir(t.Path(stageDir), 0o777) != nil {
		return nil
	}
	stage, err := os.OpenRoot(t.Path(stageDir))
	if err != nil {
		return nil
	}
	defer stage.Close()
	paths, raw, ok := writeFew(ctx, t.Repo, t.Oid, stage, brought)
	if !ok {
		return nil
	}
	made, err := stage.Stat(".")
	if err != nil || !t.settle(x) {
		return nil
	}
	next, err := x.with(paths, raw, made.ModTime())
	if err != nil {
		return nil
	}
	known, err := t.Resolve(ctx, to+"^{tree}")
	root := build(next.entries, 0, t.Oid, new([]*folder))
	if err != nil || known[0] != root.id {
		return nil
	}
	next.addTrees(root)
	return next
}

// CheckOutFew does what "git read-tree --reset -u" does in the new repository to, whose working tree is empty, for a
// tree with a few plain files, whose objects it reads from another repository. It returns false if only git can do it.
// Then some of the files may be there.
func CheckOutFew(ctx context.Context, from, to git.Repo, tree string) bool {
	brought, err := from.Changes(ctx, "", tree)
	if err != nil || len(brought) > mostFew {
		return false
	}
	dir, err := os.OpenRoot(to.Dir)
	if err != nil {
		return false
	}
	defer dir.Close()
	oid := len(tree) / 2
	paths, raw, ok := writeFew(ctx, from, oid, dir, brought)
	if !ok {
		return false
	}
	x, err := parseIndex(append([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"), make([]byte, oid)...), oid, time.Now())
	if err != nil {
		return false
	}
	if x, err = x.with(paths, raw, x.written); err != nil {
		return false
	}
	root := build(x.entries, 0, oid, new([]*folder))
	if root.id != tree {
		return false
	}
	x.addTrees(root)
	return x.write(to.Path("index")) == nil
}

// writeFew writes the files of changes, which r stores, into dir. It returns the changed paths in order, and their
// entries in an index file, nil for a removed file; false if a file is not plain, or changed on its way.
func writeFew(ctx context.Context, r git.Repo, oid int, dir *os.Root, changes map[string]git.Change) (paths []string, raw [][]byte, ok bool) {
	left := int64(mostFewBytes)
	paths = slices.Sorted(maps.Keys(changes))
	for _, name := range paths {
		is := changes[name].After
		if git.BadPath(name) != "" || git.IsModules(name) {
			return nil, nil, false
		}
		if !is.Exists() {
			raw = append(raw, nil)
			continue
		}
		o, content, err := r.Content(ctx, is.ID, left)
		if left -= o.Size; err != nil || o.Kind != "blob" || git.ObjectID("blob", content, oid) != is.ID {
			return nil, nil, false
		}
		if git.IsAttributes(name) && mayConvert(content) {
			return nil, nil, false
		}
		info, err := stageFile(dir, filepath.FromSlash(name), is.Mode, content)
		if err != nil {
			return nil, nil, false
		}
		raw = append(raw, rawEntry(name, is, info))
	}
	return paths, raw, true
}

// stageFile makes a file of stageDir.
func stageFile(stage *os.Root, name, mode string, content []byte) (fs.FileInfo, error) {
	perm := map[string]fs.FileMode{"100644": 0o666, "100755": 0o777}[mode]
	err := stage.MkdirAll(filepath.Dir(name), 0o777)
	switch {
	case err != nil:
		return nil, err
	case mode == git.LinkMode:
		err = stage.Symlink(string(content), name)
	case perm == 0:
		err = errors.New("not a plain file")
	default:
		var f *os.File
		if f, err = stage.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm); err == nil {
			_, err = f.Write(content)
			err = errors.Join(err, f.Close())
		}
	}
	if err != nil {
		return nil, err
	}
	return stage.Lstat(name)
}

// maxRules bounds a .gitattributes file that converts reads.
const maxRules = 1 << 20

// converts reports whether git may write a file other than it is stored. Only some attributes make it do so.
func (t Tree) converts(ctx context.Context, x *index) bool {
	own, err := os.ReadFile(t.Path("info/attributes"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) || mayConvert(own) || !t.ConfigLacks("attr", "eol", "include", "worktreeconfig") {
		return true
	}
	return slices.ContainsFunc(x.entries, func(e indexEntry) bool {
		if !strings.EqualFold(path.Base(e.path), ".gitattributes") {
			return false
		}
		o, rules, err := t.Content(ctx, hex.EncodeToString(e.oid), maxRules)
		return err != nil || o.Kind != "blob" || mayConvert(rules)
	})
}

// mayConvert reports whether a .gitattributes file has a rule by which git writes a file other than it is stored.
// Without the setting core.eol, text and eol=lf do not.
func mayConvert(rules []byte) bool {
	return mentions(string(rules), "crlf", "ident", "filter", "encoding")
}

// mentions reports whether a .gitattributes file has one of the words, which are in lower case, anywhere.
func mentions(rules string, words ...string) bool {
	rules = strings.ToLower(rules)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(rules, word) })
}

// settle examines the files whose entries git does not trust: they changed in the second in which x was written, or
// later, or their times were cleared. It clears the times of an entry if its file may have changed. It returns false
// if these files are many or large.
func (t Tree) settle(x *index) bool {
	left, since := int64(mostRead), x.written.Unix()
	for i := range x.entries {
		e := &x.entries[i]
		if e.modified.Unix() < since && e.changed.Unix() != 0 || e.mode&typeBits == typeRepo {
			continue
		}
		name := filepath.Join(t.Dir, filepath.FromSlash(e.path))
		if left -= int64(e.size) + mostRead/mostFew; left < 0 {
			return false
		}
		info, err := os.Lstat(name)
		if err == nil && time.Since(worktree.ChangeTime(info)) > clockStep && e.hasContent(name, statOf(info)) {
			x.setStat(e, statOf(info))
		} else {
			x.forgetStat(e)
		}
	}
	return true
}
