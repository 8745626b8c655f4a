package git

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
)

// errTogether means that only git can merge: both sides changed a path, or one side removed or renamed files.
var errTogether = errors.New("the sides change the same paths")

// mergeApart merges trees whose sides changed different paths and removed none, so that there is nothing for git to
// detect or to decide. It returns errTogether, or another error, when git has to merge.
func mergeApart(ctx context.Context, r Repo, base, ours, theirs string) (string, error) {
	k, release := r.kept()
	defer release()
	r.Kept = k
	for _, side := range []string{ours, theirs} {
		err := walk(ctx, r, base, side, walker{trees: mostObjects, found: func(_ string, c Change) error {
			if !c.After.Exists() {
				return errTogether
			}
			return nil
		}})
		if err != nil {
			return "", err
		}
	}
	return unite(ctx, r, base, ours, theirs)
}

// unite stores the union of the changes from base to ours and to theirs, and returns its id. An id is "" for no tree.
func unite(ctx context.Context, r Repo, base, ours, theirs string) (string, error) {
	var sides [3]map[string]treeEntry
	names := map[string]bool{}
	for i, id := range []string{base, ours, theirs} {
		entries, err := entriesOf(ctx, r, id)
		if err != nil {
			return "", err
		}
		sides[i] = make(map[string]treeEntry, len(entries))
		for _, e := range entries {
			if _, twice := sides[i][e.name]; twice || canonical(e.Mode) != e.Mode {
				return "", errTogether
			}
			sides[i][e.name], names[e.name] = e, true
		}
	}
	var all []treeEntry
	for name := range names {
		was, our, their := sides[0][name], sides[1][name], sides[2][name]
		switch {
		case their == was || their == our:
			all = append(all, our)
		case our == was:
			all = append(all, their)
		case our.dir() && their.dir() && (was.dir() || was.Mode == ""):
			id, err := unite(ctx, r, was.ID, our.ID, their.ID)
			if err != nil {
				return "", err
			}
			all = append(all, treeEntry{our.Mode, name, id})
		default:
			return "", errTogether
		}
	}
	return r.WriteObject("tree", treeContent(all), ours)
}

// entriesOf reads the entries of a tree object, none for "".
func entriesOf(ctx context.Context, r Repo, id string) ([]treeEntry, error) {
	if id == "" {
		return nil, nil
	}
	o, content, err := r.Content(ctx, id, maxTree)
	if err != nil {
		return nil, err
	}
	if o.Kind != "tree" {
		return nil, errTogether
	}
	return parseTree(content, len(o.ID)/2)
}

// treeContent returns the content of a tree object, with the entries in git's order: a directory is placed as if its
// name ended in a slash.
func treeContent(entries []treeEntry) []byte {
	place := func(e treeEntry) string {
		if e.dir() {
			return e.name + "/"
		}
		return e.name
	}
	slices.SortFunc(entries, func(x, y treeEntry) int { return cmp.Compare(place(x), place(y)) })
	var b strings.Builder
	for _, e := range entries {
		id, _ := hex.DecodeString(e.ID)
		b.WriteString(e.Mode + " " + e.name + "\x00" + string(id))
	}
	return []byte(b.String())
}
