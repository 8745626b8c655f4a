// Package worktree moves files from a staging directory into a tree that others work in. A rename replaces each file
// whole, so that a reader, also after a crash, sees at each path the old file or the new one, and nothing in between.
package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrChanged means that another program changed a path of the tree after NoteCurrent.
var ErrChanged = errors.New("changed meanwhile")

// Kind is what ApplyChanges does at a path.
type Kind int

// Kinds of changes.
const (
	Write  Kind = iota // replace it by the file of the staging directory
	Remove             // remove the file
	Dir                // make a directory, if there is none
	Leave              // remove a directory, if it is empty
)

// Change is the change of one path, which is relative to the tree and has slashes.
type Change struct {
	Path string
	Kind Kind
	was  fs.FileInfo // nil when nothing was there
}

// Was returns what NoteCurrent found at the path, nil for nothing.
func (c Change) Was() fs.FileInfo { return c.was }

// IsFree reports whether NoteCurrent found nothing at the path. A path below a symbolic link counts as free.
func (c Change) IsFree() bool { return c.was == nil }

// Temporary is the name of a file that is being copied from the staging directory to another file system. A crash may
// leave such a file; remove it.
const Temporary = ".ocaptain-placing"

// NoteCurrent records what is at the paths, so that ApplyChanges notices if another program changes a path meanwhile.
func NoteCurrent(dir string, changes []Change) (err error) {
	real := map[string]bool{".": true}
	for i, c := range changes {
		if changes[i].was, err = statPath(dir, filepath.FromSlash(c.Path), real); err != nil {
			return err
		}
	}
	return nil
}

// statPath returns what is at a path, nil for nothing. It returns nil below a symbolic link, which could lead out of
// the tree.
func statPath(dir, rel string, real map[string]bool) (fs.FileInfo, error) {
	above := filepath.Dir(rel)
	is, known := real[above]
	if !known {
		now, err := statPath(dir, above, real)
		if err != nil {
			return nil, err
		}
		is = now != nil && now.IsDir()
		real[above] = is
	}
	if !is {
		return nil, nil
	}
	now, err := os.Lstat(filepath.Join(dir, rel))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return now, err
}

// Blocked returns the paths to which changes write and where there is a file that known does not report. It allows
// for names that differ only in case and mean the same file.
func Blocked(changes []Change, known func(path string) bool) []string {
	gone := map[string]fs.FileInfo{}
	for _, c := range changes {
		if c.Kind == Remove && c.was != nil {
			gone[strings.ToLower(c.Path)] = c.was
		}
	}
	var paths []string
	for _, c := range changes {
		if c.Kind != Write || c.was == nil || c.was.IsDir() || known(c.Path) {
			continue
		}
		if old := gone[strings.ToLower(c.Path)]; old == nil || !os.SameFile(old, c.was) {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// ApplyChanges makes the changes, with files from the directory stage. Call NoteCurrent first. If it fails, it may
// have made some of the changes, each of them whole; touched reports whether it has. With durable, a file is also
// whole after a power cut.
func ApplyChanges(dir, stage string, changes []Change, durable bool) (touched bool, err error) {
	p := placing{dir: dir, stage: stage, real: map[string]bool{".": true}, touched: map[string]bool{}, removed: map[string]bool{}}
	var names []string
	for _, c := range changes {
		switch c.Kind {
		case Remove:
			p.removed[strings.ToLower(c.Path)] = true
		case Write:
			names = append(names, filepath.Join(stage, filepath.FromSlash(c.Path)))
		case Dir, Leave:
		}
	}
	if durable {
		if err := syncToDisk(stage, names); err != nil {
			return false, err
		}
	}
	for _, kind := range []Kind{Remove, Dir, Write} {
		for _, c := range changes {
			if c.Kind != kind {
				continue
			}
			if err := p.placeChange(c); err != nil {
				return touched, fmt.Errorf("%s: %w", c.Path, err)
			}
			touched = true
		}
	}
	p.removeEmptied(changes)
	if !durable {
		return touched, nil
	}
	return touched, syncToDisk(dir, p.changedDirs())
}

// placing is one run of ApplyChanges.
type placing struct {
	dir, stage string
	real       map[string]bool // whether a path is a real directory, as far as known
	touched    map[string]bool // directories in which something changed
	removed    map[string]bool // removed paths, in lower case
}

func (p *placing) placeChange(c Change) error {
	rel := filepath.FromSlash(c.Path)
	at := filepath.Join(p.dir, rel)
	if c.Kind != Remove {
		if err := p.parent(filepath.Dir(rel)); err != nil {
			return err
		}
	}
	now, err := statPath(p.dir, rel, p.real)
	if err != nil {
		return err
	}
	if !p.expected(c, now) {
		return ErrChanged
	}
	p.touched[filepath.Dir(rel)] = true
	switch c.Kind {
	case Remove:
		if now == nil {
			return nil
		}
		return os.Remove(at)
	case Dir:
		if now != nil && now.IsDir() {
			return nil
		}
		return os.Mkdir(at, 0o777)
	case Write:
		if now != nil && now.IsDir() {
			if err := removeEmpty(at); err != nil {
				return err
			}
		}
		return rename(filepath.Join(p.stage, rel), at)
	case Leave:
	}
	return nil
}

// expected reports whether a path is as NoteCurrent found it, apart from what this run changed. Names that differ
// only in case may mean the same file.
func (p *placing) expected(c Change, now fs.FileInfo) bool {
	switch {
	case c.was == nil || now == nil:
		return c.was == nil && now == nil || now == nil && (c.was.IsDir() || p.removed[strings.ToLower(c.Path)])
	case c.was.IsDir():
		return now.IsDir()
	}
	return os.SameFile(c.was, now) && c.was.ModTime().Equal(now.ModTime()) && c.was.Size() == now.Size() && c.was.Mode() == now.Mode()
}

// parent checks that rel and all its parents are real directories, and makes missing ones.
func (p *placing) parent(rel string) error {
	if p.real[rel] {
		return nil
	}
	if err := p.parent(filepath.Dir(rel)); err != nil {
		return err
	}
	at := filepath.Join(p.dir, rel)
	err := os.Mkdir(at, 0o777)
	if errors.Is(err, fs.ErrExist) {
		var now fs.FileInfo
		if now, err = os.Lstat(at); err == nil && !now.IsDir() {
			err = ErrChanged
		}
	} else {
		p.touched[filepath.Dir(rel)] = true
	}
	p.real[rel] = err == nil
	return err
}

// removeEmptied removes directories that this run emptied.
func (p *placing) removeEmptied(changes []Change) {
	for _, c := range changes {
		rel := filepath.FromSlash(c.Path)
		switch c.Kind {
		case Remove:
			rel = filepath.Dir(rel)
		case Leave:
		default:
			continue
		}
		for ; rel != "." && syscall.Rmdir(filepath.Join(p.dir, rel)) == nil; rel = filepath.Dir(rel) {
			p.touched[filepath.Dir(rel)] = true
		}
	}
}

// changedDirs returns the directories in which something changed and that still exist.
func (p *placing) changedDirs() []string {
	var all []string
	for rel := range p.touched {
		at := filepath.Join(p.dir, rel)
		if now, err := os.Lstat(at); err == nil && now.IsDir() {
			all = append(all, at)
		}
	}
	return all
}

// removeEmpty removes a directory that contains nothing but directories.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return ErrChanged
		}
		if err := removeEmpty(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return syscall.Rmdir(dir)
}
