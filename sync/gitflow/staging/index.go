package staging

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/worktree"
)

// indexEntry is the entry of a file in an index.
type indexEntry struct {
	changed, modified time.Time
	inode, mode, size uint32
	oid               []byte
	path              string
	odd               bool // it is one side of a conflict, or has rare flags
	at                int  // its offset in index.raw
}

// index is a git index file.
type index struct {
	raw     []byte
	oid     int // bytes of an object id
	entries []indexEntry
	written time.Time
}

const (
	typeBits = 0o170000
	typeFile = 0o100000
	typeLink = 0o120000
	typeRepo = 0o160000
)

// readIndex reads a git index, version 2 or 3, with object ids of oid bytes.
func readIndex(name string, oid int) (*index, error) {
	info, err := os.Stat(name) // before the read: the content must not be older than this time
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	bad := &git.Error{Verb: "index", Err: errors.New("it is malformed")}
	if len(b) < 12 || string(b[:4]) != "DIRC" || b[7] < 2 || b[7] > 3 {
		return nil, bad
	}
	u32 := binary.BigEndian.Uint32
	n := int(u32(b[8:]))
	x := &index{raw: b, oid: oid, written: info.ModTime(), entries: make([]indexEntry, 0, min(n, len(b)/62))}
	for b = b[12:]; n > 0; n-- {
		head := 40 + oid + 2
		if len(b) < head+2 {
			return nil, bad
		}
		odd := b[40+oid]&0x70 != 0
		if b[40+oid]&0x40 != 0 { // two more bytes of flags
			head += 2
		}
		end := bytes.IndexByte(b[head:], 0)
		if end < 0 {
			return nil, bad
		}
		at := func(i int) uint32 { return u32(b[4*i:]) }
		x.entries = append(x.entries, indexEntry{
			changed: time.Unix(int64(at(0)), int64(at(1))), modified: time.Unix(int64(at(2)), int64(at(3))),
			inode: at(5), mode: at(6), size: at(9), oid: b[40 : 40+oid], path: string(b[head : head+end]),
			odd: odd, at: len(x.raw) - len(b),
		})
		next := (head + end + 8) / 8 * 8
		if next > len(b) {
			return nil, bad
		}
		b = b[next:]
	}
	return x, nil
}

// setStat records the current times and inode of an entry's file, whose content is unchanged.
func (x *index) setStat(e indexEntry, info fs.FileInfo) {
	changed, modified := worktree.ChangeTime(info), info.ModTime()
	x.put(e, 0, changed.Unix(), int64(changed.Nanosecond()), modified.Unix(), int64(modified.Nanosecond()))
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		x.put(e, 5, int64(st.Ino)) //nolint:gosec // as git stores it
	}
}

// forgetStat clears the times of an entry, so that git reads the file before it takes it for unchanged.
func (x *index) forgetStat(e indexEntry) { x.put(e, 0, 0, 0, 0, 0) }

// put writes consecutive fields of an entry, beginning with field.
func (x *index) put(e indexEntry, field int, values ...int64) {
	for i, n := range values {
		binary.BigEndian.PutUint32(x.raw[e.at+4*(field+i):], uint32(n)) //nolint:gosec // as git stores them
	}
}

// write writes the index to a file.
func (x *index) write(name string) error {
	sum := git.NewHash(x.oid)
	body := x.raw[:len(x.raw)-x.oid]
	sum.Write(body)
	if err := os.WriteFile(name+".new", sum.Sum(body), 0o666); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// same reports whether a file is unchanged since the entry was made, for an index that was written at the time
// written. It compares times with nanoseconds; git on many systems compares seconds, and reads each file that changed
// within the second of the index.
func (e indexEntry) same(info fs.FileInfo, written time.Time) bool {
	kind := map[fs.FileMode]uint32{0: typeFile, fs.ModeSymlink: typeLink}[info.Mode().Type()]
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || kind != e.mode&typeBits || uint32(st.Ino) != e.inode || uint32(st.Size) != e.size { //nolint:gosec // as git stores them
		return false
	}
	changed, modified, step := worktree.ChangeTime(info), info.ModTime(), clockStep
	if e.changed.Nanosecond() == 0 && e.modified.Nanosecond() == 0 { // an entry by a git that stores seconds only
		changed, modified, step = changed.Truncate(time.Second), modified.Truncate(time.Second), time.Second
	}
	return e.changed.Equal(changed) && e.modified.Equal(modified) && e.changed.Add(step).Before(written)
}

// isMoved reports whether a file is the one for which git made the entry, perhaps renamed.
func (e indexEntry) isMoved(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && e.hasMode(info) && uint32(st.Ino) == e.inode && uint32(st.Size) == e.size && e.modified.Equal(info.ModTime()) //nolint:gosec // as git stores them
}

// touched reports whether a file has the content of the entry, so that only its times differ.
func (e indexEntry) touched(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && e.hasContent(name, info)
}

// hasContent reports whether a file, whose Lstat is info, has mode, size and content of the entry.
func (e indexEntry) hasContent(name string, info fs.FileInfo) bool {
	if e.oid == nil || !e.hasMode(info) || info.Size() != int64(e.size) {
		return false
	}
	sum := git.NewBlobHash(int64(e.size), len(e.oid))
	if e.mode&typeBits == typeLink {
		to, err := os.Readlink(name)
		sum.Write([]byte(to))
		return err == nil && bytes.Equal(sum.Sum(nil), e.oid)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = io.Copy(sum, io.LimitReader(f, int64(e.size)))
	return err == nil && bytes.Equal(sum.Sum(nil), e.oid)
}

// hasMode reports whether a file has the type and the executable bit of the entry.
func (e indexEntry) hasMode(info fs.FileInfo) bool {
	switch info.Mode().Type() {
	case 0:
		return e.mode&typeBits == typeFile && e.mode&0o100 == uint32(info.Mode())&0o100
	case fs.ModeSymlink:
		return e.mode&typeBits == typeLink
	}
	return false
}

// differing adds to s the paths of the tree that differ from x, the private index, nil for none. It reads only files
// with other times and the same size as their entries. It records the new times of files with unchanged content,
// unless the times are so recent that a further change could leave them the same.
func (t Tree) differing(s *Status, x *index) error {
	if x == nil {
		return nil
	}
	s.was = map[string]indexEntry{}
	linked := map[string]bool{} // for each directory, whether a symbolic link leads there
	rewrite, unsure := false, []indexEntry(nil)
	for _, e := range x.entries {
		is, err := os.Lstat(t.Dir + "/" + e.path)
		switch {
		case err == nil && t.beyondLink(filepath.Dir(e.path), linked):
			s.remove = append(s.remove, e.path)
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			s.remove = append(s.remove, e.path)
		case err == nil && e.mode&typeBits == typeRepo: // work on submodules is the captain's
			s.modules = append(s.modules, e)
		case err == nil && is.IsDir():
			s.turned(t.Dir, e.path)
		case err != nil || !e.same(is, x.written):
			if err == nil && time.Since(worktree.ChangeTime(is)) > clockStep && e.hasContent(filepath.Join(t.Dir, e.path), is) {
				x.setStat(e, is)
				rewrite = true
				continue
			}
			unsure = append(unsure, e)
			rewrite = rewrite || err == nil && is.Size() == int64(e.size)
			s.Write = append(s.Write, e.path)
			s.was[e.path] = e
		}
	}
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

// beyondLink reports whether the path of a directory has a symbolic link in it.
func (t Tree) beyondLink(dir string, known map[string]bool) bool {
	if dir == "." {
		return false
	}
	if is, ok := known[dir]; ok {
		return is
	}
	info, err := os.Lstat(filepath.Join(t.Dir, dir))
	is := err == nil && info.Mode()&fs.ModeSymlink != 0 || t.beyondLink(filepath.Dir(dir), known)
	known[dir] = is
	return is
}

// others adds to s the paths of list, which "git ls-files --others" printed: the private index lacks them.
func (s *Status) others(list []byte) {
	for name := range strings.SplitSeq(string(list), "\x00") {
		s.other(name)
	}
}
