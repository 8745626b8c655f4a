package staging

import (
	"fmt"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// Status is what "git status --porcelain=v2 --branch -z" says of a tree and an index.
type Status struct {
	Commit   string   // HEAD, "" when it has none
	Branch   string   // full ref of HEAD, "" when detached
	Staged   bool     // the index differs from HEAD
	Unmerged bool     // the index holds conflicts
	Write    []string // paths to add to the index as they are in the tree
	remove   []string // paths to take out of the index
	nested   []string // repositories inside the tree, without the trailing slash
	closed   []string // directories that cannot be looked into

	modules   []indexEntry // submodules
	inModules []string     // submodules whose own files are changed

	ignored []string              // paths to take out of the index though their files stay
	rules   []byte                // the clone's own list of files to ignore, nil where dropIgnored has not compared it
	was     map[string]indexEntry // what the index says of those to add, where that was looked at
}

// statusArgs ask for a status. Submodules are looked at no deeper than their commit, so nothing of theirs runs.
var statusArgs = []string{"status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty"}

// Dirty tells whether the tree differs from the index.
func (s Status) Dirty() bool { return len(s.Write)+len(s.remove) > 0 }

// ParseStatus reads the answer to statusArgs.
func ParseStatus(b []byte) (Status, error) {
	var s Status
	for rec := range strings.SplitSeq(string(b), "\x00") {
		if rec == "" {
			continue
		}
		var err error
		switch kind, rest, _ := strings.Cut(rec, " "); kind {
		case "#":
			s.header(rest)
		case "1":
			err = s.changed(rest)
		case "u":
			s.Unmerged = true
		case "?":
			s.other(rest)
		default:
			err = fmt.Errorf("unknown record %q", git.PlainText(rec))
		}
		if err != nil {
			return s, fmt.Errorf("git status: %w", err)
		}
	}
	return s, nil
}

func (s *Status) header(h string) {
	if v, ok := strings.CutPrefix(h, "branch.oid "); ok && git.IsObjectID(v) {
		s.Commit = v
	}
	if v, ok := strings.CutPrefix(h, "branch.head "); ok && v != "(detached)" {
		s.Branch = "refs/heads/" + v
	}
}

// changed reads "XY sub mH mI mW hH hI path".
func (s *Status) changed(rec string) error {
	f := strings.SplitN(rec, " ", 8)
	if len(f) != 8 || len(f[0]) != 2 {
		return fmt.Errorf("malformed record %q", git.PlainText(rec))
	}
	x, y, modeIndex, modeTree, path := f[0][0], f[0][1], f[3], f[4], f[7]
	s.Staged = s.Staged || x != '.'
	if y != '.' {
		s.tracked(modeIndex, modeTree, y, path)
	}
	return nil
}

// tracked takes down how a path of the index differs from the tree.
func (s *Status) tracked(modeIndex, modeTree string, kind byte, path string) {
	switch {
	case modeIndex == "160000" && kind != 'D':
		// A submodule stands at another commit. Only the captain changes submodules.
	case modeTree == "160000":
		s.nested = append(s.nested, path)
	case kind == 'D':
		s.remove = append(s.remove, path)
	default:
		s.Write = append(s.Write, path)
	}
}

// other takes down a path that the index does not have; a repository ends in a slash.
func (s *Status) other(path string) {
	if dir, ok := strings.CutSuffix(path, "/"); ok {
		s.nested = append(s.nested, dir)
	} else if path != "" {
		s.Write = append(s.Write, path)
	}
}
