package staging

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// Write stores the index as a tree object, and returns its name.
func (t Tree) Write(ctx context.Context) (string, error) {
	if x, err := readIndex(t.index(), t.Oid); err == nil && x.isPlain() {
		return t.writeTrees(ctx, x.entries)
	}
	id, err := t.Output(ctx, "write-tree")
	if err == nil && git.IsEmptyTree(id) { // which git knows without storing it
		_, err = t.WriteObject("tree", nil, id)
	}
	return id, err
}

// index is the file that the tree is seen through.
func (t Tree) index() (file string) {
	for _, kv := range t.Env { // the last one counts
		if name, is := strings.CutPrefix(kv, "GIT_INDEX_FILE="); is {
			file = name
		}
	}
	return file
}

// isPlain reports whether the index holds nothing that only git knows how to store.
func (x *index) isPlain() bool {
	for _, e := range x.entries {
		if kind := e.mode & typeBits; e.odd || kind != typeFile && kind != typeLink && kind != typeRepo {
			return false
		}
	}
	return true
}

// folder is a tree object to be stored.
type folder struct {
	content strings.Builder
	id      string
	blobs   []string
}

// writeTrees stores the tree that entries of an index make, as far as it is not there. Like git, it fails when a file of it is not there.
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
		if found[i] != "" && !git.IsEmptyTree(f.id) { // which git knows without storing it
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

// build makes the folder of entries that all begin with dir, and adds it to all after those below it.
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
