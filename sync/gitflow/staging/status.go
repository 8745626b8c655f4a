package staging

import (
	"fmt"
	"strings"

	"ocaptain/sync/gitflow/git"
)

// Status is how a tree differs from an index, as in "git status --porcelain=v2 --branch -z".
type Status struct {
	Commit   string   // HEAD, "" when it has none
	Branch   string   // full ref of HEAD, "" when detached
	Staged   bool     // the index differs from HEAD
	Unmerged bool     // the index has conflicts
	Write    []string // paths to add to the index as they are in the tree
	remove   []string // paths to take out of the index
	nested   []string // repositories inside the tree, without the trailing slash
	closed   []string // directories that git cannot read

	modules   []indexEntry // submodules
	inModules []string     // submodules whose own files are changed

	ignored []string               // paths to remove from the index whose files stay
	rules   []byte                 // content of info/exclude, nil if dropIgnored has not applied it
	was     map[string]*indexEntry // index entries of the paths in Write, if lookFast made the status
}

// statusArgs are the arguments for git status. It compares only the commits of submodules, so that nothing in their
// repositories runs.
var statusArgs = []string{"status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty"}

// Dirty reports whether the tree differs from the index.
func (s Status) Dirty() bool { return len(s.Write)+len(s.remove) > 0 }

// ParseStatus parses the output of git with statusArgs.
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

// changed parses a record "XY sub mH mI mW hH hI path".
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

// tracked records how a path of the index differs from the tree.
func (s *Status) tracked(modeIndex, modeTree string, kind byte, path string) {
	switch {
	case modeIndex == "160000" && kind != 'D':
		// A submodule has another commit checked out: work on submodules is the captain's.
	case modeTree == "160000":
		s.nested = append(s.nested, path)
	case kind == 'D':
		s.remove = append(s.remove, path)
	default:
		s.Write = append(s.Write, path)
	}
}

// other records an untracked path. A slash at its end marks a repository.
func (s *Status) other(path string) {
	if dir, ok := strings.CutSuffix(path, "/"); ok {
		s.nested = append(s.nested, dir)
	} else if path != "" {
		s.Write = append(s.Write, path)
	}
}
