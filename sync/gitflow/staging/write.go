package staging

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// Write stores the index as a tree object, and returns its id.
func (t Tree) Write(ctx context.Context) (string, error) {
	if x, err := readIndex(t.index(), t.Oid); err == nil && x.isPlain() {
		return t.writeTrees(ctx, x.entries)
	}
	id, err := t.Output(ctx, "write-tree")
	if err == nil && git.IsEmptyTree(id) { // git knows the empty tree without storing it
		_, err = t.WriteObject("tree", nil, id)
	}
	return id, err
}

// index returns the path of the index file that git uses for t.
func (t Tree) index() (file string) {
	for _, kv := range t.Env { // the last one counts
		if name, is := strings.CutPrefix(kv, "GIT_INDEX_FILE="); is {
			file = name
		}
	}
	return file
}

// isPlain reports whether the index has only entries that writeTrees can store.
func (x *index) isPlain() bool {
	for _, e := range x.entries {
		if kind := e.mode & typeBits; e.odd || kind != typeFile && kind != typeLink && kind != typeRepo {
			return false
		}
	}
	return true
}

// folder is a tree object to store.
type folder struct {
	name    string
	content []byte
	id      string
	blobs   [][]byte
	below   []*folder
	files   int // number of entries in it and below it
}

// writeTrees stores the missing tree objects for the entries of an index. Like git, it fails if a
// blob is missing.
func (t Tree) writeTrees(ctx context.Context, entries []indexEntry) (string, error) {
	var all []*folder
	root := build(entries, 0, t.Oid, &all)
	if found, err := t.Resolve(ctx, root.id); err != nil || found[0] != "" && !git.IsEmptyTree(root.id) {
		return root.id, err
	}
	ids := make([]string, len(all))
	for i, f := range all {
		ids[i] = f.id
	}
	found, err := t.Resolve(ctx, ids...)
	if err != nil {
		return "", err
	}
	for i, f := range all {
		if found[i] != "" && !git.IsEmptyTree(f.id) { // git knows the empty tree without storing it
			continue
		}
		ids := make([]string, len(f.blobs))
		for i, oid := range f.blobs {
			ids[i] = hex.EncodeToString(oid)
		}
		blobs, err := t.Resolve(ctx, ids...)
		if err != nil {
			return "", err
		}
		for i, id := range blobs {
			if id == "" {
				return "", &git.Error{Verb: "index", Said: "object " + ids[i] + " is missing"}
			}
		}
		if _, err := t.WriteObject("tree", f.content, f.id); err != nil {
			return "", err
		}
	}
	return root.id, nil
}

// build makes the folder for entries, whose paths have above bytes before the names in it. It appends it to all,
// after the folders below it.
func build(entries []indexEntry, above, oid int, all *[]*folder) *folder {
	f := &folder{files: len(entries)}
	add := func(mode uint64, name string, id []byte) {
		f.content = append(strconv.AppendUint(f.content, mode, 8), ' ')
		f.content = append(append(append(f.content, name...), 0), id...)
	}
	for len(entries) > 0 {
		e := &entries[0]
		name, below := firstName(entries, above)
		if below == nil {
			add(uint64(e.mode), name, e.oid)
			if e.mode&typeBits != typeRepo {
				f.blobs = append(f.blobs, e.oid)
			}
			entries = entries[1:]
			continue
		}
		in := build(below, above+len(name)+1, oid, all)
		in.name, f.below = name, append(f.below, in)
		id, _ := hex.DecodeString(in.id)
		add(typeDir, name, id)
		entries = entries[len(below):]
	}
	f.id = git.ObjectID("tree", f.content, oid)
	*all = append(*all, f)
	return f
}
