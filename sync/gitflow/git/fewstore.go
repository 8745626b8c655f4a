package git

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
)

// StoreFew stores the objects as one pack with its index, without compression. It stores nothing if an object is not
// what its id says.
func (r Repo) StoreFew(f *Few) error {
	size := len(f.like) / 2
	for _, o := range f.objects {
		if ObjectID(o.Kind, o.content, size) != o.ID {
			return fmt.Errorf("%s %s is not what its name says", o.Kind, o.ID)
		}
	}
	pack, starts := f.pack(store)
	end := pack.Len() - size
	name := r.Path("objects", "pack", "pack-"+hex.EncodeToString(pack.Bytes()[end:]))
	if err := os.WriteFile(name+".pack", pack.Bytes(), 0o444); err != nil {
		return err
	}
	return os.WriteFile(name+".idx", f.index(pack.Bytes(), append(starts, end)), 0o444)
}

// index returns the index of a pack, in version 2 of the format in git's gitformat-pack(5). Objects begin at starts,
// and the last of starts is the end of the last object.
func (f *Few) index(pack []byte, starts []int) []byte {
	order := make([]int, len(f.objects)) // by id
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(f.objects[a].ID, f.objects[b].ID) })
	var fanout [256]uint32 // how many ids have this first byte, or a smaller one
	var ids, sums, offsets []byte
	for n, i := range order {
		id, _ := hex.DecodeString(f.objects[i].ID)
		for first := int(id[0]); first < len(fanout); first++ {
			fanout[first] = uint32(n + 1) //nolint:gosec // mostObjects bounds the number
		}
		ids = append(ids, id...)
		sums = binary.BigEndian.AppendUint32(sums, crc32.ChecksumIEEE(pack[starts[i]:starts[i+1]]))
		offsets = binary.BigEndian.AppendUint32(offsets, uint32(starts[i])) //nolint:gosec // mostBytes bounds the pack
	}
	all := []byte("\xfftOc\x00\x00\x00\x02")
	for _, n := range fanout {
		all = binary.BigEndian.AppendUint32(all, n)
	}
	all = slices.Concat(all, ids, sums, offsets, pack[starts[len(starts)-1]:])
	sum := NewHash(len(f.like) / 2)
	sum.Write(all)
	return sum.Sum(all)
}
