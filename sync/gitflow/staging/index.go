package staging

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's
	"crypto/sha256"
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
}

const (
	typeBits = 0o170000
	typeFile = 0o100000
	typeLink = 0o120000
	typeRepo = 0o160000
)

// readIndex reads an index of git's, version 2 or 3, with object names of so many bytes.
func readIndex(name string, oid int) ([]indexEntry, error) {
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
	all := make([]indexEntry, 0, min(n, len(b)/62))
	for b = b[12:]; n > 0; n-- {
		head := 40 + oid + 2
		if len(b) < head+2 {
			return nil, bad
		}
		if b[40+oid]&0x40 != 0 { // it has more flags
			head += 2
		}
		end := bytes.IndexByte(b[head:], 0)
		if end < 0 {
			return nil, bad
		}
		at := func(i int) uint32 { return u32(b[4*i:]) }
		all = append(all, indexEntry{
			changed: time.Unix(int64(at(0)), int64(at(1))), modified: time.Unix(int64(at(2)), int64(at(3))),
			inode: at(5), mode: at(6), size: at(9), oid: b[40 : 40+oid], path: string(b[head : head+end]),
		})
		next := (head + end + 8) / 8 * 8
		if next > len(b) {
			return nil, bad
		}
		b = b[next:]
	}
	return all, nil
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

// touched tells whether a file has what the entry says, and only its dates differ.
func (e indexEntry) touched(name string) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || e.oid == nil || info.Size() != int64(e.size) {
		return false
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha1.New() //nolint:gosec // git's
	if len(e.oid) == sha256.Size {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "blob %d\x00", e.size)
	_, err = io.Copy(sum, io.LimitReader(f, int64(e.size)))
	return err == nil && bytes.Equal(sum.Sum(nil), e.oid)
}

// differing adds to s the paths of the private index that differ from the index. It reads no file, since files may have
// any size and change meanwhile. A file that was only touched counts as different.
func (t Tree) differing(s *Status, oid int) error {
	name := t.Path(PrivateIndex)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	all, err := readIndex(name, oid)
	if err != nil {
		return fmt.Errorf("private index: %w", err)
	}
	s.was = map[string]indexEntry{}
	linked := map[string]bool{} // directories, and whether a symbolic link leads there
	for _, e := range all {
		is, err := os.Lstat(filepath.Join(t.Dir, e.path))
		switch {
		case err == nil && t.beyondLink(filepath.Dir(e.path), linked):
			s.remove = append(s.remove, e.path)
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			s.remove = append(s.remove, e.path)
		case err == nil && e.mode&typeBits == typeRepo: // only the captain changes submodules
			s.modules = append(s.modules, e)
		case err == nil && is.IsDir():
			s.turned(t.Dir, e.path)
		case err != nil || !e.same(is, info.ModTime()):
			s.Write = append(s.Write, e.path)
			s.was[e.path] = e
		}
	}
	return nil
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
