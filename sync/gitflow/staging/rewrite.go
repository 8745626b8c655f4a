package staging

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io/fs"
	"strconv"
	"syscall"
	"time"

	"ocaptain/sync/gitflow/git"
)

// rawEntry returns an entry of an index file.
func rawEntry(name string, is git.Entry, info fs.FileInfo) []byte {
	now := statOf(info)
	st := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // it comes from lstat
	mode, _ := strconv.ParseUint(is.Mode, 8, 32)
	id, _ := hex.DecodeString(is.ID)
	var b []byte
	for _, n := range []int64{
		now.changed.Unix(), int64(now.changed.Nanosecond()), now.modified.Unix(), int64(now.modified.Nanosecond()),
		int64(st.Dev), int64(now.inode), int64(mode), int64(st.Uid), int64(st.Gid), now.size, //nolint:gosec // as git stores them
	} {
		b = binary.BigEndian.AppendUint32(b, uint32(n)) //nolint:gosec // as git stores them
	}
	b = append(b, id...)
	b = binary.BigEndian.AppendUint16(b, uint16(min(len(name), 0xfff))) //nolint:gosec // it is at most 0xfff
	b = append(b, name...)
	return append(b, make([]byte, 8-len(b)%8)...)
}

// with returns a copy of x, without extensions, in which the sorted paths have the entries raw, nil for none.
func (x *index) with(paths []string, raw [][]byte, written time.Time) (*index, error) {
	b := bytes.NewBuffer(make([]byte, 0, len(x.raw)+len(paths)*256))
	b.Write(x.raw[:12])
	n := 0
	add := func(entry []byte) {
		if entry != nil {
			b.Write(entry)
			n++
		}
	}
	for i := range x.entries {
		e := &x.entries[i]
		for len(paths) > 0 && paths[0] < e.path {
			add(raw[0])
			paths, raw = paths[1:], raw[1:]
		}
		if len(paths) > 0 && paths[0] == e.path {
			continue // until the entries after it
		}
		add(x.raw[e.at : e.at+e.length(x.oid)])
	}
	for _, entry := range raw {
		add(entry)
	}
	all := b.Bytes()
	binary.BigEndian.PutUint32(all[8:], uint32(n)) //nolint:gosec // git allows no more
	return parseIndex(append(all, make([]byte, x.oid)...), x.oid, written)
}

// length returns how many bytes the entry has in an index file.
func (e *indexEntry) length(oid int) int { return (40 + oid + 2 + len(e.path) + 8) / 8 * 8 }

// isWhole reports whether the index file has all entries of the index, and nothing else that git must know: the names of
// extensions that git may ignore begin with a capital letter.
func (x *index) isWhole() bool {
	if len(x.entries) == 0 || x.raw[7] != 2 {
		return false
	}
	last := &x.entries[len(x.entries)-1]
	for b := x.raw[last.at+last.length(x.oid) : len(x.raw)-x.oid]; len(b) > 0; {
		if len(b) < 8 || b[0] < 'A' || b[0] > 'Z' {
			return false
		}
		size := 8 + int(binary.BigEndian.Uint32(b[4:]))
		if size > len(b) {
			return false
		}
		b = b[size:]
	}
	return true
}

// addTrees adds the ids of the index's trees, so that git need not compute them again.
func (x *index) addTrees(root *folder) {
	trees := root.appendTo(nil)
	body := append(x.raw[:len(x.raw)-x.oid], "TREE"...)
	body = binary.BigEndian.AppendUint32(body, uint32(len(trees))) //nolint:gosec // trees are smaller than the index
	x.raw = append(append(body, trees...), make([]byte, x.oid)...)
}

// appendTo appends the folder as it is in the TREE extension of an index.
func (f *folder) appendTo(b []byte) []byte {
	b = append(append(b, f.name...), 0)
	b = append(strconv.AppendInt(b, int64(f.files), 10), ' ')
	b = append(strconv.AppendInt(b, int64(len(f.below)), 10), '\n')
	id, _ := hex.DecodeString(f.id)
	b = append(b, id...)
	for _, sub := range f.below {
		b = sub.appendTo(b)
	}
	return b
}
