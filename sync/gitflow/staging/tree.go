// Package staging copies a working tree into git, and brings the tree from one commit to another, through an index of its own: the agent's
// index stays as it is.
package staging

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/whole"
)

// Why a path was left out of a copy of the tree.
const (
	LeftNested = "nested" // a repository of its own
	leftLinked = "linked" // a linked worktree or a submodule's checkout
	LeftLarge  = "large"
	LeftLocked = "unreadable"
	LeftClosed = "closed" // a directory that cannot be looked into
	LeftName   = "name"
	LeftOther  = "special"    // a pipe, a socket, a device
	LeftModule = "submodules" // the list of them
	LeftInside = "submodule"  // its files
	LeftRules  = "attributes"
	LeftMoving = "changing" // while it was copied, again and again
)

// Left is a path that could not be copied.
type Left struct {
	Path string
	Kind string
	Size int64 `json:",omitempty"`
}

// Note says what was left out, in words.
func (l Left) Note(limit int64) string {
	path := git.PlainText(l.Path)
	switch l.Kind {
	case LeftNested:
		return path + " is a git repository of its own and was left out"
	case leftLinked:
		return path + " is a linked git worktree and was left out"
	case LeftLarge:
		return fmt.Sprintf("%s has %s, more than the limit of %s, and was left out", path, humanize.IBytes(uint64(l.Size)), humanize.IBytes(uint64(limit)))
	case LeftLocked:
		return path + " can't be read and was left out"
	case LeftClosed:
		return "what is in " + path + " can't be read, or is too many directories deep, and was left out"
	case LeftModule:
		return path + " lists submodules, which only the captain changes, and was left out"
	case LeftInside:
		return path + " is a submodule, and what is changed in it was left out"
	case LeftRules:
		return path + " has a line that is longer than git takes of attributes and was left out"
	case LeftMoving:
		return path + " kept changing while it was copied; what came before stays"
	case LeftName:
		return path + " has a name that git keeps for itself and was left out"
	}
	return path + " is not a file and was left out"
}

// Movable tells whether the path has to go before the tree can count as clean.
func (l Left) Movable() bool { return l.Kind != leftLinked }

// Tree is a working tree seen through a private index, so that the agent's or captain's own index stays
// untouched. The private index keeps what git knows about unchanged files, which makes the next look cheap.
type Tree struct {
	git.Repo
	Raw      git.Repo // how files are read
	Oid      int      // bytes of an object name
	Limits   git.Limits
	Counted  []string         // commits that work is counted from: other files may be ignored later on; nil for no file
	Captains bool             // what the captain does is not questioned
	Busy     map[string]bool  // edits that are left alone for now
	Rested   map[string]Sight // the only edits to look at, as they were seen; nil for all
}

// PrivateIndex is where the private index lives inside the git directory.
const PrivateIndex = "ocaptain/index"

// PrivateTree returns the tree of r, whose objects have that format, with its private index. Only one caller may use it at a time.
func PrivateTree(r git.Repo, limits git.Limits, format string) (Tree, error) {
	if err := whole.MakeDir(r.Path("ocaptain"), 0, 0o777); err != nil {
		return Tree{}, fmt.Errorf("private index: %w", err)
	}
	index := r.Path(PrivateIndex)
	if err := os.Remove(index + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Tree{}, fmt.Errorf("private index: %w", err)
	}
	r = r.WithIndex(index)
	return Tree{Repo: r, Raw: r, Oid: git.NameSize(format), Limits: limits}, nil
}

// Paths lists names for git's -z --stdin.
func Paths(names []string) *strings.Reader {
	return strings.NewReader(strings.Join(names, "\x00") + "\x00")
}

// First returns the first name there is.
func First(lists ...[]string) string {
	for _, l := range lists {
		for _, name := range l {
			if name != "" {
				return name
			}
		}
	}
	return ""
}

// CopyFile replaces one file with a copy of another, as old as that: git trusts what an index says of a file only if
// the index is younger than the file, in whole seconds.
func CopyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to + ".new")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	was, err := in.Stat()
	if err != nil {
		return err
	}
	if err := os.Chtimes(to+".new", was.ModTime(), was.ModTime()); err != nil {
		return err
	}
	return os.Rename(to+".new", to)
}

// Distinct drops what is empty or said twice.
func Distinct(ids ...string) []string {
	var out []string
	for _, id := range ids {
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// OrNothing stands in for an expression that is empty.
func OrNothing(expr string) string {
	if expr == "" {
		return "refs/ocaptain/nothing"
	}
	return expr
}
