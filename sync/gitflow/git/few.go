package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of a Few. For more or larger objects, git's deltas are worth starting a git process.
const (
	mostCommits = 50
	mostObjects = 300
	mostBytes   = 4 << 20
)

// Few are the objects of a small transfer, without deltas. For a larger transfer, use git.
type Few struct {
	objects []fewObject
	commits int
	size    int64
	like    string // id of an object in the same format, sha1 or sha256
}

type fewObject struct {
	Object
	content []byte
}

// errMany means that a transfer is too large for a Few.
var errMany = errors.New("too many objects")

// Few collects the objects that want reaches and have does not. want are commits, or trees, which are collected whole.
// It returns nil when the objects exceed the bounds.
func (r Repo) Few(ctx context.Context, want, have []string) *Few {
	k, release := r.kept()
	defer release()
	r.Kept = k
	if len(want) == 0 {
		return nil
	}
	f := &Few{like: want[0]}
	seen := map[string]bool{}
	for _, id := range have {
		seen[id] = true
	}
	for left := want; len(left) > 0; {
		id := left[0]
		left = left[1:]
		if seen[id] {
			continue
		}
		parents, err := f.addCommit(ctx, r, id, seen)
		if err != nil {
			return nil
		}
		left = append(left[:len(left):len(left)], parents...)
	}
	return f
}

// addCommit adds a commit and the objects of its tree that differ from its first parent's tree, or a whole tree.
func (f *Few) addCommit(ctx context.Context, r Repo, id string, seen map[string]bool) (parents []string, err error) {
	o, content, err := r.Content(ctx, id, mostBytes)
	if err == nil && o.Kind == "tree" {
		return nil, f.addChanges(ctx, r, "", id, seen)
	}
	if f.commits++; err != nil || o.Kind != "commit" || f.commits > mostCommits {
		return nil, errors.Join(err, errMany)
	}
	if err := f.add(o, content, seen); err != nil {
		return nil, err
	}
	parents = parentsOf(content)
	if len(parents) == 0 { // a first commit: its whole tree is new
		return nil, errMany
	}
	return parents, f.addChanges(ctx, r, parents[0]+"^{tree}", id+"^{tree}", seen)
}

// addChanges adds the objects of the tree to that the tree from lacks. from is "" for an empty tree.
func (f *Few) addChanges(ctx context.Context, r Repo, from, to string, seen map[string]bool) error {
	var blobs []string
	err := walk(ctx, r, from, to, walker{
		trees: mostObjects,
		took:  func(o Object, content []byte) error { return f.add(o, content, seen) },
		found: func(_ string, c Change) error {
			if c.After.Exists() && c.After.Mode != "160000" && c.After.ID != c.Before.ID {
				blobs = append(blobs, c.After.ID)
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	for _, id := range blobs {
		if seen[id] {
			continue
		}
		o, content, err := r.Content(ctx, id, mostBytes-f.size)
		if err != nil || o.Kind != "blob" {
			return errors.Join(err, errMany)
		}
		if err := f.add(o, content, seen); err != nil {
			return err
		}
	}
	return nil
}

func (f *Few) add(o Object, content []byte, seen map[string]bool) error {
	if seen[o.ID] {
		return nil
	}
	if f.size += o.Size; f.size > mostBytes || len(f.objects) >= mostObjects {
		return errMany
	}
	seen[o.ID] = true
	f.objects = append(f.objects, fewObject{o, content})
	return nil
}

// parentsOf lists the parents that a commit names.
func parentsOf(commit []byte) (parents []string) {
	head, _, _ := strings.Cut(string(commit), "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		if parent, is := strings.CutPrefix(line, "parent "); is {
			parents = append(parents, parent)
		}
	}
	return parents
}

// packKinds are the numbers that packs use for kinds of objects.
var packKinds = map[string]byte{"commit": 1, "tree": 2, "blob": 3}

// WriteTo writes the objects as a pack without deltas.
func (f *Few) WriteTo(w io.Writer) (int64, error) {
	pack, _ := f.pack(func(b *bytes.Buffer, content []byte) { compress(b, content) })
	return pack.WriteTo(w)
}

// pack returns the objects as a pack, in which squeeze writes each content as a zlib stream, and where in the pack
// each object begins.
func (f *Few) pack(squeeze func(b *bytes.Buffer, content []byte)) (pack *bytes.Buffer, starts []int) {
	b := new(bytes.Buffer)
	b.WriteString("PACK\x00\x00\x00\x02")
	_ = binary.Write(b, binary.BigEndian, uint32(len(f.objects))) //nolint:gosec // mostObjects bounds the number
	for _, o := range f.objects {
		starts = append(starts, b.Len())
		size := len(o.content)
		c := packKinds[o.Kind]<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			b.WriteByte(c | 0x80)
			c = byte(size & 0x7f)
		}
		b.WriteByte(c)
		squeeze(b, o.content)
	}
	sum := NewHash(len(f.like) / 2)
	sum.Write(b.Bytes())
	b.Write(sum.Sum(nil))
	return b, starts
}

// ReceiveFew reads a pack that a Few has written from in, and stores its objects. The object id like says which
// format to use, sha1 or sha256.
func (r Repo) ReceiveFew(in *bufio.Reader, like string) error {
	var head struct{ Magic, Version, N uint32 }
	if err := binary.Read(in, binary.BigEndian, &head); err != nil || head.N > mostObjects {
		return fmt.Errorf("pack of few objects: %d of them: %w", head.N, errors.Join(err, errMany))
	}
	for range head.N {
		kind, content, err := readFew(in)
		if err == nil {
			_, err = r.WriteObject(kind, content, like)
		}
		if err != nil {
			return fmt.Errorf("pack of few objects: %w", err)
		}
	}
	_, err := io.CopyN(io.Discard, in, int64(len(like)/2))
	return err
}

// readFew reads one object of a Few's pack.
func readFew(in *bufio.Reader) (kind string, content []byte, err error) {
	c, err := in.ReadByte()
	if err != nil {
		return "", nil, err
	}
	for name, n := range packKinds {
		if n == c>>4&7 {
			kind = name
		}
	}
	size := int64(c & 15)
	for shift := 4; c&0x80 != 0 && shift < 32; shift += 7 {
		if c, err = in.ReadByte(); err != nil {
			return "", nil, err
		}
		size |= int64(c&0x7f) << shift
	}
	if kind == "" || size > mostBytes {
		return "", nil, fmt.Errorf("an object of %d bytes and kind %q", size, kind)
	}
	z, err := zlib.NewReader(in)
	if err != nil {
		return "", nil, err
	}
	content = make([]byte, size)
	if _, err := io.ReadFull(z, content); err != nil {
		return "", nil, err
	}
	if n, err := z.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) { // reading to the end also checks zlib's checksum
		return "", nil, fmt.Errorf("an object does not end where it should: %w", err)
	}
	return kind, content, nil
}
