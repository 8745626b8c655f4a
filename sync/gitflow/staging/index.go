package staging

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"ocaptain/sync/gitflow/git"
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
	typeDir  = 0o040000
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
	return parseIndex(b, oid, info.ModTime())
}

// parseIndex parses the content of an index file that was written at the time written.
func parseIndex(b []byte, oid int, written time.Time) (*index, error) {
	bad := &git.Error{Verb: "index", Err: errors.New("it is malformed")}
	if len(b) < 12+oid || string(b[:4]) != "DIRC" || b[7] < 2 || b[7] > 3 {
		return nil, bad
	}
	u32 := binary.BigEndian.Uint32
	n := int(u32(b[8:]))
	x := &index{raw: b, oid: oid, written: written, entries: make([]indexEntry, 0, min(n, len(b)/62))}
	text := string(b) // the paths are parts of one string
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
		at, start := func(i int) uint32 { return u32(b[4*i:]) }, len(text)-len(b)
		x.entries = append(x.entries, indexEntry{
			changed: time.Unix(int64(at(0)), int64(at(1))), modified: time.Unix(int64(at(2)), int64(at(3))),
			inode: at(5), mode: at(6), size: at(9), oid: b[40 : 40+oid], path: text[start+head : start+head+end],
			odd: odd, at: start,
		})
		next := (head + end + 8) / 8 * 8
		if next > len(b) {
			return nil, bad
		}
		b = b[next:]
	}
	return x, nil
}

// firstName returns the first name in a directory, whose entries have paths with above bytes before the names, and the
// entries below that name, nil if it is a file's.
func firstName(entries []indexEntry, above int) (name string, below []indexEntry) {
	name, _, isDir := strings.Cut(entries[0].path[above:], "/")
	if !isDir {
		return name, nil
	}
	n, dir := 0, entries[0].path[:above+len(name)+1]
	for n < len(entries) && strings.HasPrefix(entries[n].path, dir) {
		n++
	}
	return name, entries[:n]
}

// setStat records the current times and inode of an entry's file, whose content is unchanged.
func (x *index) setStat(e *indexEntry, now stat) {
	x.put(e, 0, now.changed.Unix(), int64(now.changed.Nanosecond()), now.modified.Unix(), int64(now.modified.Nanosecond()))
	x.put(e, 5, int64(now.inode))
}

// forgetStat clears the times of an entry, so that git reads the file before it takes it for unchanged.
func (x *index) forgetStat(e *indexEntry) { x.put(e, 0, 0, 0, 0, 0) }

// put writes consecutive fields of an entry, beginning with field.
func (x *index) put(e *indexEntry, field int, values ...int64) {
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
func (e *indexEntry) same(now stat, written time.Time) bool {
	kind := now.mode & typeBits
	if kind != e.mode&typeBits || kind != typeFile && kind != typeLink || now.inode != e.inode || uint32(now.size) != e.size { //nolint:gosec // as git stores it
		return false
	}
	changed, modified, step := now.changed, now.modified, clockStep
	if e.changed.Nanosecond() == 0 && e.modified.Nanosecond() == 0 { // an entry by a git that stores seconds only
		changed, modified, step = changed.Truncate(time.Second), modified.Truncate(time.Second), time.Second
	}
	return e.changed.Equal(changed) && e.modified.Equal(modified) && e.changed.Add(step).Before(written)
}

// isMoved reports whether a file is the one for which git made the entry, perhaps renamed.
func (e *indexEntry) isMoved(now stat) bool {
	return e.hasMode(now) && now.inode == e.inode && uint32(now.size) == e.size && e.modified.Equal(now.modified) //nolint:gosec // as git stores it
}

// touched reports whether a file has the content of the entry, so that only its times differ. e may be nil.
func (e *indexEntry) touched(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && e != nil && e.hasContent(name, statOf(info))
}

// hasContent reports whether a file, whose state is now, has mode, size and content of the entry.
func (e *indexEntry) hasContent(name string, now stat) bool {
	if !e.hasMode(now) || now.size != int64(e.size) {
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
func (e *indexEntry) hasMode(now stat) bool {
	switch kind := now.mode & typeBits; kind {
	case typeFile:
		return e.mode&typeBits == kind && e.mode&0o100 == now.mode&0o100
	case typeLink:
		return e.mode&typeBits == kind
	}
	return false
}

// others adds to s the paths of list, which "git ls-files --others" printed: the private index lacks them.
func (s *Status) others(list []byte) {
	for name := range strings.SplitSeq(string(list), "\x00") {
		s.other(name)
	}
}
