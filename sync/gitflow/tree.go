package gitflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Why a path was left out of a copy of the tree.
const (
	leftNested = "nested" // a repository of its own
	leftLinked = "linked" // a linked worktree or a submodule's checkout
	leftLarge  = "large"
	leftLocked = "unreadable"
	leftName   = "name"
	leftOther  = "special" // a pipe, a socket, a device
	leftModule = "submodules"
)

// left is a path that could not be copied.
type left struct {
	Path string
	Kind string
	Size int64 `json:",omitempty"`
}

// note says what was left out, in words.
func (l left) note(limit int64) string {
	path := plain(l.Path)
	switch l.Kind {
	case leftNested:
		return path + " is a git repository of its own and was left out"
	case leftLinked:
		return path + " is a linked git worktree and was left out"
	case leftLarge:
		return fmt.Sprintf("%s has %s, more than the limit of %s, and was left out", path, size(l.Size), size(limit))
	case leftLocked:
		return path + " can't be read and was left out"
	case leftModule:
		return path + " lists submodules, which only the captain changes, and was left out"
	case leftName:
		return path + " has a name that git keeps for itself and was left out"
	}
	return path + " is not a file and was left out"
}

// movable tells whether the path has to go before the tree can count as clean.
func (l left) movable() bool { return l.Kind != leftLinked }

// tree is a working tree seen through a private index, so that the index of whoever works there stays untouched.
// The private index keeps what git knows about unchanged files, which makes the next look cheap.
type tree struct {
	repo
	limits   Limits
	captains bool            // what the captain does is not questioned
	skip     map[string]bool // edits that are left alone for now
}

// privateIndex is where the private index lives inside the git directory.
const privateIndex = "ocaptain/index"

// privateTree returns the tree of r with its private index. Nobody else may use it meanwhile.
func privateTree(r repo, limits Limits) (tree, error) {
	if err := os.MkdirAll(r.path("ocaptain"), 0o777); err != nil {
		return tree{}, fmt.Errorf("private index: %w", err)
	}
	index := r.path(privateIndex)
	if err := os.Remove(index + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return tree{}, fmt.Errorf("private index: %w", err)
	}
	return tree{repo: r.indexed(index), limits: limits}, nil
}

// look compares the tree with the private index.
func (t tree) look(ctx context.Context) (status, error) {
	b, err := t.bytes(ctx, nil, statusArgs...)
	if err != nil {
		return status{}, err
	}
	return parseStatus(b)
}

// stage brings the private index to what the tree holds. It returns how they differed, and what had to be left out.
func (t tree) stage(ctx context.Context) (st status, lefts []left, err error) {
	for range 3 { // files come and go while we look
		if st, err = t.look(ctx); err != nil {
			return st, nil, err
		}
		if lefts, err = t.add(ctx, &st); err == nil || ctx.Err() != nil {
			break
		}
	}
	return st, lefts, err
}

// add stages the paths of st, except those that can't travel, which it takes out of st and returns.
func (t tree) add(ctx context.Context, st *status) ([]left, error) {
	lefts := t.sift(st)
	if n := len(st.write) + len(st.remove); n > t.limits.Files {
		return nil, fmt.Errorf("%d files changed, more than the limit of %d: is a build directory missing in .gitignore, for example %s?", n, t.limits.Files, plain(first(st.write, st.remove)))
	}
	if len(st.remove) > 0 {
		if err := t.do(ctx, paths(st.remove), nil, "update-index", "-z", "--force-remove", "--stdin"); err != nil {
			return nil, err
		}
	}
	if len(st.write) > 0 {
		if err := t.do(ctx, paths(st.write), nil, "update-index", "-z", "--add", "--remove", "--replace", "--stdin"); err != nil {
			return nil, err
		}
	}
	return lefts, nil
}

// sift takes out of st what can't travel.
func (t tree) sift(st *status) []left {
	var lefts []left
	for _, dir := range st.nested {
		kind := leftNested
		if info, err := os.Lstat(filepath.Join(t.dir, dir, ".git")); err == nil && !info.IsDir() {
			kind = leftLinked
		}
		lefts = append(lefts, left{Path: dir, Kind: kind})
	}
	keep := st.write[:0]
	for _, path := range st.write {
		if t.skip[path] {
			continue
		}
		if l := t.obstacle(path); l.Kind != "" {
			lefts = append(lefts, l)
			continue
		}
		keep = append(keep, path)
	}
	st.write = keep
	return lefts
}

// obstacle says what keeps a file from being copied.
func (t tree) obstacle(path string) left {
	l := left{Path: path}
	switch {
	case badPath(path) != "":
		l.Kind = leftName
		return l
	case isModules(path) && !t.captains:
		l.Kind = leftModule
		return l
	}
	name := filepath.Join(t.dir, path)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink != 0:
	case err != nil:
		l.Kind = leftLocked
	case !info.Mode().IsRegular():
		l.Kind = leftOther
	case info.Size() > t.limits.File:
		l.Kind, l.Size = leftLarge, info.Size()
	default:
		f, err := os.Open(name)
		if err == nil {
			f.Close()
		} else if !errors.Is(err, fs.ErrNotExist) {
			l.Kind = leftLocked
		}
	}
	return l
}

// write stores the private index as a tree object.
func (t tree) write(ctx context.Context) (string, error) {
	id, err := t.out(ctx, "write-tree")
	if err == nil && emptyTree(id) { // which git knows without storing it
		_, err = t.bytes(ctx, strings.NewReader(""), "mktree")
	}
	return id, err
}

// paths lists names for git's -z --stdin.
func paths(names []string) *strings.Reader {
	return strings.NewReader(strings.Join(names, "\x00") + "\x00")
}

// first returns the first name there is.
func first(lists ...[]string) string {
	for _, l := range lists {
		for _, name := range l {
			if name != "" {
				return name
			}
		}
	}
	return ""
}
