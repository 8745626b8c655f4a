package staging

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ocaptain/sync/worktree"
)

// stat is what an index stores about a file.
type stat struct {
	changed, modified time.Time
	inode             uint32 // as git stores it
	mode              uint32 // type and permissions, as the system returns them
	size              int64
}

// statOf converts the result of Lstat.
func statOf(info fs.FileInfo) stat {
	st := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // it comes from lstat
	//nolint:gosec,unconvert // git stores 32 bits of the inode; the type of Mode depends on the system
	return stat{worktree.ChangeTime(info), info.ModTime(), uint32(st.Ino), uint32(st.Mode), st.Size}
}

// scanner looks at a tree once, directory by directory. Its functions return false to end the scan.
type scanner struct {
	visit func(e *indexEntry, now stat, err error) bool // gets each file of the index; isGone(err) if it is not there
	other func() bool                                   // the tree has something that the index lacks
}

// isGone reports whether err means that there is no such file. A path that leads through a file or a symbolic link
// has no file.
func isGone(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

// scan compares the tree at dir with the index. It reports whether no function of c has ended it.
func (x *index) scan(dir string, c scanner) bool {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return c.folder(fd, err, unix.AT_FDCWD, dir, x.entries, 0)
}

// folder scans the directory for entries, whose paths have above bytes before the names in it. fd is the directory,
// which folder closes. If it could not be opened, at and rel lead to it: its files may be visible all the same.
func (c scanner) folder(fd int, err error, at int, rel string, entries []indexEntry, above int) bool {
	var names []string
	switch {
	case isGone(err):
		for i := range entries {
			if !c.visit(&entries[i], stat{}, err) {
				return false
			}
		}
		return errors.Is(err, unix.ENOENT) || c.other()
	case err == nil:
		f := os.NewFile(uintptr(fd), rel)
		defer f.Close()
		if names, err = f.Readdirnames(-1); above == 0 {
			names = slices.DeleteFunc(names, func(name string) bool { return name == ".git" })
		}
		at, rel = fd, ""
	default:
		rel += "/"
	}
	if err != nil && !c.other() {
		return false
	}
	known := make([]string, 0, len(entries))
	for len(entries) > 0 {
		name, below := firstName(entries, above)
		known = append(known, name)
		if below == nil {
			if !c.file(at, rel+name, &entries[0]) {
				return false
			}
			entries = entries[1:]
			continue
		}
		fd, err := unix.Openat(at, rel+name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if !c.folder(fd, err, at, rel+name, below, above+len(name)+1) {
			return false
		}
		entries = entries[len(below):]
	}
	slices.Sort(known)
	isKnown := func(name string) bool { _, is := slices.BinarySearch(known, name); return is }
	for _, name := range names {
		if !isKnown(name) {
			return c.other()
		}
	}
	return true
}

// file looks at the file of an entry.
func (c scanner) file(at int, name string, e *indexEntry) bool {
	var st unix.Stat_t
	if err := unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return c.visit(e, stat{}, err)
	}
	//nolint:gosec,unconvert // git stores 32 bits of the inode; the type of Mode depends on the system
	now := stat{time.Unix(st.Ctim.Unix()), time.Unix(st.Mtim.Unix()), uint32(st.Ino), uint32(st.Mode), st.Size}
	if !c.visit(e, now, nil) {
		return false
	}
	return now.mode&typeBits != typeDir || c.other()
}

// differing adds to s the paths of the tree that differ from x, the private index. It calls other, perhaps several
// times, if the tree has something that x lacks. It reads only files with other times and the same size as their
// entries. It records the new times of files with unchanged content, unless the times are so recent that a further
// change could leave them the same.
func (t Tree) differing(s *Status, x *index, other func()) error {
	s.was = map[string]*indexEntry{}
	rewrite, unsure := false, []*indexEntry(nil)
	visit := func(e *indexEntry, now stat, err error) bool {
		switch {
		case isGone(err):
			s.remove = append(s.remove, e.path)
		case err == nil && e.mode&typeBits == typeRepo: // work on submodules is the captain's
			s.modules = append(s.modules, *e)
		case err == nil && now.mode&typeBits == typeDir:
			s.turned(t.Dir, e.path)
		case err != nil || !e.same(now, x.written):
			if err == nil && time.Since(now.changed) > clockStep && e.hasContent(filepath.Join(t.Dir, e.path), now) {
				x.setStat(e, now)
				rewrite = true
				return true
			}
			unsure = append(unsure, e)
			rewrite = rewrite || err == nil && now.size == int64(e.size)
			s.Write = append(s.Write, e.path)
			s.was[e.path] = e
		}
		return true
	}
	x.scan(t.Dir, scanner{visit, func() bool { other(); return true }})
	if !rewrite {
		return nil
	}
	for _, e := range unsure { // git compares seconds only, and could take these for unchanged in the rewritten index
		x.forgetStat(e)
	}
	return x.write(t.Path(PrivateIndex))
}

// turned records that a file has become a directory, perhaps a repository.
func (s *Status) turned(dir, path string) {
	if _, err := os.Lstat(filepath.Join(dir, path, ".git")); err == nil {
		s.nested = append(s.nested, path)
	} else {
		s.remove = append(s.remove, path)
	}
}
