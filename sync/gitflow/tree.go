package gitflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/dustin/go-humanize"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/whole"
)

// Why a path was left out of a copy of the tree.
const (
	leftNested = "nested" // a repository of its own
	leftLinked = "linked" // a linked worktree or a submodule's checkout
	leftLarge  = "large"
	leftLocked = "unreadable"
	leftClosed = "closed" // a directory that cannot be looked into
	leftName   = "name"
	leftOther  = "special"    // a pipe, a socket, a device
	leftModule = "submodules" // the list of them
	leftInside = "submodule"  // its files
	leftRules  = "attributes"
	leftMoving = "changing" // while it was copied, again and again
)

// left is a path that could not be copied.
type left struct {
	Path string
	Kind string
	Size int64 `json:",omitempty"`
}

// note says what was left out, in words.
func (l left) note(limit int64) string {
	path := git.PlainText(l.Path)
	switch l.Kind {
	case leftNested:
		return path + " is a git repository of its own and was left out"
	case leftLinked:
		return path + " is a linked git worktree and was left out"
	case leftLarge:
		return fmt.Sprintf("%s has %s, more than the limit of %s, and was left out", path, humanize.IBytes(uint64(l.Size)), humanize.IBytes(uint64(limit)))
	case leftLocked:
		return path + " can't be read and was left out"
	case leftClosed:
		return "what is in " + path + " can't be read, or is too many directories deep, and was left out"
	case leftModule:
		return path + " lists submodules, which only the captain changes, and was left out"
	case leftInside:
		return path + " is a submodule, and what is changed in it was left out"
	case leftRules:
		return path + " has a line that is longer than git takes of attributes and was left out"
	case leftMoving:
		return path + " kept changing while it was copied; what came before stays"
	case leftName:
		return path + " has a name that git keeps for itself and was left out"
	}
	return path + " is not a file and was left out"
}

// movable tells whether the path has to go before the tree can count as clean.
func (l left) movable() bool { return l.Kind != leftLinked }

// tree is a working tree seen through a private index, so that the index of whoever works there stays untouched.
// The private index keeps what git knows about unchanged files, which makes the next look cheap.
type tree struct {
	git.Repo
	raw      git.Repo // how files are read
	oid      int      // bytes of an object name
	limits   git.Limits
	counted  []string         // commits that work is counted from: other files may be ignored later on; nil for no file
	captains bool             // what the captain does is not questioned
	skip     map[string]bool  // edits that are left alone for now
	rested   map[string]sight // the only edits to look at, as they were seen; nil for all
}

// privateIndex is where the private index lives inside the git directory.
const privateIndex = "ocaptain/index"

// privateTree returns the tree of r with its private index. Nobody else may use it meanwhile.
func privateTree(r git.Repo, limits git.Limits) (tree, error) {
	if err := whole.MakeDir(r.Path("ocaptain"), 0, 0o777); err != nil {
		return tree{}, fmt.Errorf("private index: %w", err)
	}
	index := r.Path(privateIndex)
	if err := os.Remove(index + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return tree{}, fmt.Errorf("private index: %w", err)
	}
	r = r.WithIndex(index)
	return tree{Repo: r, raw: r, oid: 20, limits: limits}, nil
}

// write stores the private index as a tree object.
func (t tree) write(ctx context.Context) (string, error) {
	id, err := t.Output(ctx, "write-tree")
	if err == nil && git.IsEmptyTree(id) { // which git knows without storing it
		_, err = t.Bytes(ctx, strings.NewReader(""), "mktree")
	}
	return id, err
}

// paths lists names for git's -z --stdin.
func paths(names []string) *strings.Reader {
	return strings.NewReader(strings.Join(names, "\x00") + "\x00")
}

// first returns the first name there is.
func first(lists ...[]string) string {
	for _, l := range lists {
		for _, name := range l {
			if name != "" {
				return name
			}
		}
	}
	return ""
}
