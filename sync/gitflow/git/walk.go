package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxTree bounds one tree object, in bytes. It has room for a million files in one directory.
const maxTree = 64 << 20

// walker compares trees object by object. It does not use git diff-tree, which needs a process and collects all
// differences before it prints the first: a small hostile pack can make more differences than fit into memory.
type walker struct {
	read   func(tree string) (Object, []byte, error)
	strict bool // a remote made the second tree
	trees  int  // how many trees may still be read
	found  func(path string, c Change) error
	took   func(o Object, content []byte) error // gets each tree object that is read of the second commit; may be nil

	nothing Entry // stands for a missing file; set from the first tree
}

// treeEntry is one entry of a tree object.
type treeEntry struct{ Mode, name, ID string }

func (e treeEntry) dir() bool { return e.Mode == "40000" }

// WalkChanges calls found for each file in which two commits differ. The commit to comes from a remote: for a
// directory with a forbidden name, WalkChanges calls found and does not read the directory. It reads at most trees
// tree objects.
func (r Repo) WalkChanges(ctx context.Context, from, to string, trees int, found func(path string, c Change) error) error {
	if err := walk(ctx, r, from+"^{tree}", to+"^{tree}", walker{strict: true, trees: trees, found: found}); err != nil {
		return fmt.Errorf("files from the remote: %w", err)
	}
	return nil
}

// walk compares the trees from and to, "" for an empty tree.
func walk(ctx context.Context, r Repo, from, to string, w walker) error {
	k, release := r.kept()
	defer release()
	r.Kept = k
	w.read = func(tree string) (Object, []byte, error) { return r.Content(ctx, tree, maxTree) }
	return w.differ(from, to, "")
}

// differ compares the tree objects from and to, "" for an empty tree.
func (w *walker) differ(from, to, dir string) error {
	old := map[string]treeEntry{}
	var order []string
	entries, err := w.entries(from, nil)
	if err != nil {
		return err
	}
	for _, e := range entries {
		old[e.name] = e
		order = append(order, e.name)
	}
	if entries, err = w.entries(to, w.took); err != nil {
		return err
	}
	for _, e := range entries {
		was := old[e.name]
		delete(old, e.name)
		if err := w.compare(was, e, dir+e.name); err != nil {
			return err
		}
	}
	for _, name := range order {
		if was, gone := old[name]; gone {
			if err := w.compare(was, treeEntry{}, dir+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare compares the entries of one name in two trees.
func (w *walker) compare(was, is treeEntry, path string) error {
	if was == is {
		return nil
	}
	if w.strict && is.dir() && BadPath(path) != "" {
		return w.found(path, Change{w.entry(was), Entry{is.Mode, is.ID}})
	}
	var from, to string
	if was.dir() {
		from = was.ID
	}
	if is.dir() {
		if to = is.ID; w.strict && IsEmptyTree(to) {
			return errors.New("a directory is empty, which git never makes") // and a small pack can hold endlessly many
		}
	}
	if from != to {
		if err := w.differ(from, to, path+"/"); err != nil {
			return err
		}
	}
	if c := (Change{w.entry(was), w.entry(is)}); c.Before != c.After {
		return w.found(path, c)
	}
	return nil
}

// entry converts an entry for found; a missing file and a directory become w.nothing.
func (w *walker) entry(e treeEntry) Entry {
	if e.Mode == "" || e.dir() {
		return w.nothing
	}
	return Entry{e.Mode, e.ID}
}

// entries reads the entries of a tree object.
func (w *walker) entries(id string, took func(Object, []byte) error) ([]treeEntry, error) {
	if id == "" {
		return nil, nil
	}
	if w.trees--; w.trees < 0 {
		return nil, errors.New("too many directories changed")
	}
	o, b, err := w.read(id)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, errors.New("a directory has too many entries")
	case err != nil:
		return nil, err
	case o.Kind != "tree":
		return nil, errors.New("a directory is missing")
	}
	if took != nil {
		if err := took(o, b); err != nil {
			return nil, err
		}
	}
	if w.nothing.Mode == "" {
		w.nothing = Entry{"000000", strings.Repeat("0", len(o.ID))}
	}
	entries, err := parseTree(b, len(o.ID)/2)
	if !w.strict {
		for i := range entries {
			entries[i].Mode = canonical(entries[i].Mode)
		}
	}
	return entries, err
}

// canonical returns the mode as today's git writes it: old versions stored others.
func canonical(mode string) string {
	n, err := strconv.ParseUint(mode, 8, 32)
	switch {
	case err != nil:
		return mode
	case n&0o170000 == 0o100000 && n&0o100 != 0:
		return "100755"
	case n&0o170000 == 0o100000:
		return "100644"
	case n&0o170000 == 0o120000:
		return LinkMode
	case n&0o170000 == 0o040000:
		return "40000"
	}
	return "160000"
}

// parseTree parses a tree object, "mode SPACE name ZERO id"…, with ids of raw bytes.
func parseTree(b []byte, raw int) ([]treeEntry, error) {
	var entries []treeEntry
	for len(b) > 0 {
		head, rest, ok := bytes.Cut(b, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !ok || !spaced || mode == "" || len(rest) < raw {
			return nil, errors.New("a directory is malformed")
		}
		entries = append(entries, treeEntry{mode, name, hex.EncodeToString(rest[:raw])})
		b = rest[raw:]
	}
	return entries, nil
}
