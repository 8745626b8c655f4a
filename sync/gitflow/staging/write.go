package staging

import (
	"context"
	"encoding/hex"
	"fmt"
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
	content strings.Builder
	id      string
	blobs   []string
}

// writeTrees stores the missing tree objects for the entries of an index. Like git, it fails if a
// blob is missing.
func (t Tree) writeTrees(ctx context.Context, entries []indexEntry) (string, error) {
	var all []*folder
	root := build(entries, "", t.Oid, &all)
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
		blobs, err := t.Resolve(ctx, f.blobs...)
		if err != nil {
			return "", err
		}
		for n, id := range blobs {
			if id == "" {
				return "", &git.Error{Verb: "index", Said: "object " + f.blobs[n] + " is missing"}
			}
		}
		if _, err := t.WriteObject("tree", []byte(f.content.String()), f.id); err != nil {
			return "", err
		}
	}
	return root.id, nil
}

// build makes the folder for entries whose paths begin with dir. It appends it to all, after the folders below it.
func build(entries []indexEntry, dir string, oid int, all *[]*folder) *folder {
	f := &folder{}
	for len(entries) > 0 {
		e := entries[0]
		name, _, below := strings.Cut(e.path[len(dir):], "/")
		if !below {
			fmt.Fprintf(&f.content, "%o %s\x00%s", e.mode, name, e.oid)
			if e.mode&typeBits != typeRepo {
				f.blobs = append(f.blobs, hex.EncodeToString(e.oid))
			}
			entries = entries[1:]
			continue
		}
		n, sub := 0, dir+name+"/"
		for n < len(entries) && strings.HasPrefix(entries[n].path, sub) {
			n++
		}
		id, _ := hex.DecodeString(build(entries[:n], sub, oid, all).id)
		fmt.Fprintf(&f.content, "40000 %s\x00%s", name, id)
		entries = entries[n:]
	}
	f.id = git.ObjectID("tree", []byte(f.content.String()), oid)
	*all = append(*all, f)
	return f
}
