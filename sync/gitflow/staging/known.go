package staging

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/worktree"
)

// isAsIndexed reports whether each file to change is in the tree as in the private index, and in the index as in the
// tree object from. If it returns false, git has to check.
func (t Tree) isAsIndexed(changes []worktree.Change, brought map[string]git.Change) bool {
	x, err := readIndex(t.Path(PrivateIndex), t.Oid)
	if err != nil {
		return false
	}
	entries := x.byPath(changes)
	dirs := map[string]bool{".": true}
	for _, c := range changes {
		from, to := brought[c.Path].Before, brought[c.Path].After
		e, has := entries[c.Path]
		switch {
		case c.Kind == worktree.Dir || c.Kind == worktree.Leave || from.Mode == submodule || to.Mode == submodule:
			return false
		case !from.Exists():
			if has || !c.IsFree() || !t.mayHold(path.Dir(c.Path), dirs) {
				return false
			}
		case !has || e.odd || fmt.Sprintf("%o", e.mode) != from.Mode || hex.EncodeToString(e.oid) != from.ID || c.IsFree():
			return false
		case !e.same(statOf(c.Was()), x.written) && !e.hasContent(filepath.Join(t.Dir, c.Path), statOf(c.Was())):
			return false
		}
	}
	return true
}

// mayHold reports whether a path is a directory of the tree, or is free to become one.
func (t Tree) mayHold(dir string, known map[string]bool) bool {
	if is, ok := known[dir]; ok {
		return is
	}
	is := t.mayHold(path.Dir(dir), known)
	if is {
		info, err := os.Lstat(filepath.Join(t.Dir, dir))
		is = errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir()
	}
	known[dir] = is
	return is
}

// noteBrought records in NextIndex the new ctimes of the files that were renamed from stageDir into the tree, and
// reports whether it could: a rename changes only the ctime. It keeps the index's own time, so that git trusts the
// index no more than before.
func (t Tree) noteBrought(changes []worktree.Change) bool {
	name := t.Path(NextIndex)
	x, err := readIndex(name, t.Oid)
	if err != nil {
		return false
	}
	entries := x.byPath(changes)
	for _, c := range changes {
		if c.Kind != worktree.Write {
			continue
		}
		e, has := entries[c.Path]
		info, err := os.Lstat(filepath.Join(t.Dir, c.Path))
		if !has || err != nil || !e.isMoved(statOf(info)) {
			return false
		}
		x.setStat(e, statOf(info))
	}
	return x.write(name) == nil && os.Chtimes(name, x.written, x.written) == nil
}

// byPath returns the entries of the changed paths.
func (x *index) byPath(changes []worktree.Change) map[string]*indexEntry {
	found := make(map[string]*indexEntry, len(changes))
	wanted := make(map[string]bool, len(changes))
	for _, c := range changes {
		wanted[c.Path] = true
	}
	for i := range x.entries {
		if e := &x.entries[i]; wanted[e.path] {
			found[e.path] = e
		}
	}
	return found
}
