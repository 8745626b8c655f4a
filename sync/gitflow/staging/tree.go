// Package staging stores a working tree as a git tree, and changes a working tree from one commit to another. It uses
// an index of its own, so that the agent's index stays as it is.
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

// Why a snapshot leaves out a path.
const (
	LeftNested = "nested" // a repository of its own
	leftLinked = "linked" // a linked worktree or a submodule's checkout
	LeftLarge  = "large"
	LeftLocked = "unreadable"
	LeftClosed = "closed" // a directory that git cannot read
	LeftName   = "name"
	LeftOther  = "special"    // a pipe, a socket, a device
	LeftModule = "submodules" // .gitmodules changed
	LeftInside = "submodule"  // files in a submodule changed
	LeftRules  = "attributes"
	LeftMoving = "changing" // it changed each time that it was copied
)

// Left is a path that a snapshot leaves out.
type Left struct {
	Path string
	Kind string
	Size int64 `json:",omitempty"`
}

// Note describes what was left out, for the captain.
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

// Movable reports whether a checkout must move the path out of the tree.
func (l Left) Movable() bool { return l.Kind != leftLinked }

// Tree is a working tree with a private index, so that the agent's or captain's own index stays untouched. The
// private index records times and sizes of unchanged files, which makes the next Look cheap.
type Tree struct {
	git.Repo
	Raw      git.Repo // the repository by which files are read into git
	Oid      int      // bytes of an object id
	Limits   git.Limits
	Counted  []string         // commits from which work is counted. dropIgnored keeps their files; if nil, it drops no file
	Plain    bool             // Raw stores each file without a carriage return as it is
	Captains bool             // it is the captain's tree: changes of submodules and the like are allowed
	Busy     map[string]bool  // edited files to leave alone for now, as they are still being written
	Rested   map[string]Sight // if not nil, the only edited files to stage, if they are still as seen
}

// PrivateIndex is the path of the private index inside the git directory.
const PrivateIndex = "ocaptain/index"

// PrivateTree returns the tree of r with its private index. format is the object format, sha1 or sha256. Only one
// caller may use the tree at a time.
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

// Paths returns names in the format of git's -z --stdin.
func Paths(names []string) *strings.Reader {
	return strings.NewReader(strings.Join(names, "\x00") + "\x00")
}

// First returns the first name in lists that is not "".
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

// CopyFile replaces the file to by a copy of from with the same modification time: git trusts an index entry only if
// the index is newer than the file, in whole seconds, so a copy must not look newer.
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

// Distinct returns ids without empty and repeated ones.
func Distinct(ids ...string) []string {
	var out []string
	for _, id := range ids {
		if id != "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// OrNothing returns expr, or for "" the name of a ref that never exists.
func OrNothing(expr string) string {
	if expr == "" {
		return "refs/ocaptain/nothing"
	}
	return expr
}
