package git

import (
	"context"
	"errors"
	"strings"
)

// LinkMode is the mode of a symbolic link in a tree.
const LinkMode = "120000"

// Entry is what a tree has at a path.
type Entry struct{ Mode, ID string }

// Exists reports whether there is anything at the path.
func (o Entry) Exists() bool { return o.Mode != "000000" }

// Change is a path in which two trees differ.
type Change struct{ Before, After Entry }

// Changes lists the files in which two trees differ.
func (r Repo) Changes(ctx context.Context, from, to string) (map[string]Change, error) {
	b, err := r.Bytes(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to)
	if err != nil {
		return nil, err
	}
	all := map[string]Change{}
	fields := strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			return nil, errors.New("git diff-tree: malformed record")
		}
		all[fields[i+1]] = Change{Entry{f[0], f[2]}, Entry{f[1], f[3]}}
	}
	return all, nil
}

// MaxLink bounds the target of a symbolic link, in bytes.
const MaxLink = 4095
