package staging

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"ocaptain/sync/gitflow/git"
)

// addFew does what "git update-index --add --remove" does with the private index, for a few plain files. It returns
// false if only git can do it; then the index is as it was.
func (t Tree) addFew(files []string) bool {
	if !t.Plain || len(files) > mostFew || !t.Raw.ConfigLacks("ignorecase = true", "precomposeunicode = true") {
		return false
	}
	x, err := readIndex(t.index(), t.Oid)
	if err != nil || !x.isPlain() || !x.isWhole() || !t.settle(x) {
		return false
	}
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return false
	}
	defer root.Close()
	paths := slices.Compact(slices.Sorted(slices.Values(files)))
	raw, left := make([][]byte, len(paths)), int64(mostFewBytes)
	for i, name := range paths {
		mode, info, content, err := readPlain(root, name, left)
		switch {
		case errors.Is(err, errNoFile):
			continue
		case err != nil:
			return false
		}
		left -= int64(len(content))
		id, err := t.WriteObject("blob", content, hex.EncodeToString(x.entries[0].oid))
		if err != nil {
			return false
		}
		raw[i] = rawEntry(name, git.Entry{Mode: mode, ID: id}, info)
	}
	next, err := x.with(paths, raw, time.Now())
	if err != nil {
		return false
	}
	for i, name := range paths {
		if raw[i] != nil && next.clashes(name) {
			return false
		}
	}
	return next.write(t.index()) == nil
}

// errNotPlain means that git has to read a file.
var errNotPlain = errors.New("not a plain file")

// readPlain reads a file that git stores as it is, up to most bytes, and its mode in git. Attributes for text change only files
// that have a carriage return.
func readPlain(root *os.Root, name string, most int64) (mode string, info fs.FileInfo, content []byte, err error) {
	if !isBelowDirs(root, name) {
		return "", nil, nil, errNoFile
	}
	info, err = root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, nil, errNoFile
	case err != nil || info.Size() > most:
		return "", nil, nil, errNotPlain
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := root.Readlink(name)
		return git.LinkMode, info, []byte(to), err
	case !info.Mode().IsRegular():
		return "", nil, nil, errNotPlain
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", nil, nil, err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(now, info) {
		return "", nil, nil, errNotPlain
	}
	content, err = io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err != nil || int64(len(content)) != info.Size() || bytes.IndexByte(content, '\r') >= 0 {
		return "", nil, nil, errNotPlain
	}
	return fileMode(info), info, content, nil
}

// fileMode returns the mode of a plain file in git.
func fileMode(info fs.FileInfo) string {
	if info.Mode()&0o100 != 0 {
		return "100755"
	}
	return "100644"
}

// isBelowDirs reports whether everything above a file that exists is a directory.
func isBelowDirs(root *os.Root, file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && !info.IsDir() {
			return false
		}
	}
	return true
}

// clashes reports whether the index has a file below name, or a directory above name as a file.
func (x *index) clashes(name string) bool {
	find := func(name string) (int, bool) {
		return slices.BinarySearchFunc(x.entries, name, func(e indexEntry, name string) int { return strings.Compare(e.path, name) })
	}
	if i, _ := find(name + "/"); i < len(x.entries) && strings.HasPrefix(x.entries[i].path, name+"/") {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, has := find(dir); has {
			return true
		}
	}
	return false
}

// StoresPlain reports whether a .gitattributes file lets git store each file without a carriage return as it is.
func StoresPlain(rules string) bool { return !mentions(rules, "ident", "filter", "encoding") }
