package staging

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
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

// indexEntry is what an index says of a file.
type indexEntry struct {
	changed, modified time.Time
	inode, mode, size uint32
	oid               []byte
	path              string
	odd               bool // it is one side of a conflict, or has flags that few have
	at                int  // where it begins in the file
}

// index is a file of git's that tells what a tree holds.
type index struct {
	raw     []byte
	oid     int // bytes of an object name
	entries []indexEntry
	written time.Time
}

const (
	typeBits = 0o170000
	typeFile = 0o100000
	typeLink = 0o120000
	typeRepo = 0o160000
)

// readIndex reads an index of git's, version 2 or 3, with object names of so many bytes.
func readIndex(name string, oid int) (*index, error) {
	info, err := os.Stat(name) // first: what is read may only be newer
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
		if b[40+oid]&0x40 != 0 { // it has more flags
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

// setStat takes down how the file of an entry is now, which has the content that the entry says.
func (x *index) setStat(e indexEntry, info fs.FileInfo) {
	changed, modified := worktree.ChangeTime(info), info.ModTime()
	x.put(e, 0, changed.Unix(), int64(changed.Nanosecond()), modified.Unix(), int64(modified.Nanosecond()))
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		x.put(e, 5, int64(st.Ino)) //nolint:gosec // as git stores it
	}
}

// forgetStat has git read the file of an entry before it takes it for unchanged.
func (x *index) forgetStat(e indexEntry) { x.put(e, 0, 0, 0, 0, 0) }

// put writes fields of an entry, from one on.
func (x *index) put(e indexEntry, field int, values ...int64) {
	for i, n := range values {
		binary.BigEndian.PutUint32(x.raw[e.at+4*(field+i):], uint32(n)) //nolint:gosec // as git stores them
	}
}

// write replaces a file with the index.
func (x *index) write(name string) error {
	sum := git.NewHash(x.oid)
	body := x.raw[:len(x.raw)-x.oid]
	sum.Write(body)
	if err := os.WriteFile(name+".new", sum.Sum(body), 0o666); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// same tells whether a file is what it was when the entry was made, in an index that was written at some time. It looks
// at more than git does, which on many systems counts in seconds and reads whatever changed within the same one.
func (e indexEntry) same(info fs.FileInfo, written time.Time) bool {
	kind := map[fs.FileMode]uint32{0: typeFile, fs.ModeSymlink: typeLink}[info.Mode().Type()]
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || kind != e.mode&typeBits || uint32(st.Ino) != e.inode || uint32(st.Size) != e.size { //nolint:gosec // as git stores them
		return false
	}
	changed, modified, step := worktree.ChangeTime(info), info.ModTime(), clockStep
	if e.changed.Nanosecond() == 0 && e.modified.Nanosecond() == 0 { // a git that counts in seconds
		changed, modified, step = changed.Truncate(time.Second), modified.Truncate(time.Second), time.Second
	}
	return e.changed.Equal(changed) && e.modified.Equal(modified) && e.changed.Add(step).Before(written)
}

// isMoved reports whether a file is the file that git wrote when it made the entry, perhaps under another name.
func (e indexEntry) isMoved(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && e.hasMode(info) && uint32(st.Ino) == e.inode && uint32(st.Size) == e.size && e.modified.Equal(info.ModTime()) //nolint:gosec // as git stores them
}

// touched tells whether a file has what the entry says, and only its dates differ.
func (e indexEntry) touched(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && e.hasContent(name, info)
}

// hasContent reports whether a file, which is as info says, has what the entry says.
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

// hasMode reports whether a file is of the kind that the entry says.
func (e indexEntry) hasMode(info fs.FileInfo) bool {
	switch info.Mode().Type() {
	case 0:
		return e.mode&typeBits == typeFile && e.mode&0o100 == uint32(info.Mode())&0o100
	case fs.ModeSymlink:
		return e.mode&typeBits == typeLink
	}
	return false
}

// differing adds to s the paths of the tree that differ from the private index. It reads only files that have the dates of others and the
// size that the index says, and notes the dates of files that were only touched, unless these may change with no later date.
func (t Tree) differing(s *Status, oid int) error {
	name := t.Path(PrivateIndex)
	x, err := readIndex(name, oid)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("private index: %w", err)
	}
	s.was = map[string]indexEntry{}
	linked := map[string]bool{} // directories, and whether a symbolic link leads there
	rewrite, unsure := false, []indexEntry(nil)
	for _, e := range x.entries {
		is, err := os.Lstat(t.Dir + "/" + e.path)
		switch {
		case err == nil && t.beyondLink(filepath.Dir(e.path), linked):
			s.remove = append(s.remove, e.path)
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			s.remove = append(s.remove, e.path)
		case err == nil && e.mode&typeBits == typeRepo: // only the captain changes submodules
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
	for _, e := range unsure { // which git, that counts in seconds, may take for unchanged, most of all in a younger index
		x.forgetStat(e)
	}
	return x.write(name)
}

// turned takes down a file that is a directory by now, perhaps a repository.
func (s *Status) turned(dir, path string) {
	if _, err := os.Lstat(filepath.Join(dir, path, ".git")); err == nil {
		s.nested = append(s.nested, path)
	} else {
		s.remove = append(s.remove, path)
	}
}

// beyondLink tells whether a symbolic link is on the way to a directory of the tree.
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

// others adds to s the paths that the private index lacks, as "git ls-files" lists them.
func (s *Status) others(list []byte) {
	for name := range strings.SplitSeq(string(list), "\x00") {
		s.other(name)
	}
}
