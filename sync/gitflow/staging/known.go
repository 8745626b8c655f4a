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

// known returns the private index if each file to change is in the tree as in that index, and in the index as in the
// tree object from. Else it returns nil, and git has to check.
func (t Tree) known(changes []worktree.Change, brought map[string]git.Change) *index {
	x, err := readIndex(t.Path(PrivateIndex), t.Oid)
	if err != nil {
		return nil
	}
	entries := x.byPath(changes)
	dirs := map[string]bool{".": true}
	for _, c := range changes {
		from, to := brought[c.Path].Before, brought[c.Path].After
		e, has := entries[c.Path]
		switch {
		case c.Kind == worktree.Dir || c.Kind == worktree.Leave || from.Mode == submodule || to.Mode == submodule:
			return nil
		case !from.Exists():
			if has || !c.IsFree() || !t.mayHold(path.Dir(c.Path), dirs) {
				return nil
			}
		case !has || e.odd || fmt.Sprintf("%o", e.mode) != from.Mode || hex.EncodeToString(e.oid) != from.ID || c.IsFree():
			return nil
		case !e.same(statOf(c.Was()), x.written) && !e.hasContent(filepath.Join(t.Dir, c.Path), statOf(c.Was())):
			return nil
		}
	}
	return x
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

// noteBrought writes NextIndex with the new ctimes of the files that were renamed from stageDir into the tree: a rename
// changes only the ctime. next is the index, nil if git has written it. The file keeps the index's own time, so that
// git trusts the index no more than before.
func (t Tree) noteBrought(changes []worktree.Change, next *index) error {
	name := t.Path(NextIndex)
	if next == nil {
		var err error
		if next, err = readIndex(name, t.Oid); err != nil {
			return err
		}
	}
	entries := next.byPath(changes)
	for _, c := range changes {
		if c.Kind != worktree.Write {
			continue
		}
		e, has := entries[c.Path]
		info, err := os.Lstat(filepath.Join(t.Dir, c.Path))
		switch {
		case !has:
			return fmt.Errorf("%s is not in the index", git.PlainText(c.Path))
		case err == nil && e.isMoved(statOf(info)):
			next.setStat(e, statOf(info))
		default: // somebody changed it at once
			next.forgetStat(e)
		}
	}
	if err := next.write(name); err != nil {
		return err
	}
	return os.Chtimes(name, next.written, next.written)
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
