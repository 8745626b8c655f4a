package git

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// LinkMode is the mode of a symbolic link in a tree.
const LinkMode = "120000"

// Entry is what a tree has at a path.
type Entry struct{ Mode, ID string }

// Exists reports whether there is anything at the path.
func (o Entry) Exists() bool { return o.Mode != "000000" }

// Change is a path in which two trees differ.
type Change struct{ Before, After Entry }

// Changes lists the files in which two trees or commits differ. from is "" for an empty tree.
func (r Repo) Changes(ctx context.Context, from, to string) (map[string]Change, error) {
	all, left := map[string]Change{}, MaxOutput
	if from != "" {
		from += "^{tree}"
	}
	err := walk(ctx, r, from, to+"^{tree}", walker{trees: math.MaxInt, found: func(path string, c Change) error {
		if left -= len(path) + 100; left < 0 {
			return errors.New("they differ in too many files")
		}
		all[path] = c
		return nil
	}})
	if err != nil {
		return nil, &Error{Verb: "cat-file", Said: fmt.Sprintf("compare %s with %s: %v", from, to, err), Err: err}
	}
	return all, nil
}

// MaxLink bounds the target of a symbolic link, in bytes.
const MaxLink = 4095
