package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrMergeTooSlow means that a merge took longer than Repo.MergeTime.
var ErrMergeTooSlow = errors.New("git takes too long to merge these files")

// Merged is the result of a three-way merge.
type Merged struct {
	Tree    string
	Clashes []Clash
}

// Clash is one path that needs a decision.
type Clash struct {
	Path   string
	Stages string // digits for the sides that have the file: 1 base, 2 branch, 3 remote
	Said   string // git's messages about it
}

// Sides are the two commits of a merge. Conflict markers show them as they are written here.
type Sides struct{ Ours, Theirs string }

// Merge merges trees, or the trees of commits, without a working tree. Git versions differ in how they accept a merge
// base. So Merge makes two commits with base as their parent, which all versions find.
func (r Repo) Merge(ctx context.Context, base, ours, theirs string) (Merged, error) {
	files, err := r.Resolve(ctx, base+"^{tree}", ours+"^{tree}", theirs+"^{tree}")
	if err != nil {
		return Merged{}, err
	}
	switch base, ours, theirs := files[0], files[1], files[2]; {
	case theirs == base, theirs == ours:
		return Merged{Tree: ours}, nil
	case ours == base:
		return Merged{Tree: theirs}, nil
	}
	if tree, err := mergeApart(ctx, r, files[0], files[1], files[2]); err == nil {
		return Merged{Tree: tree}, nil
	}
	s, err := r.Siblings(ctx, base, ours, theirs)
	if err != nil {
		return Merged{}, err
	}
	return r.MergeTree(ctx, s)
}

// Siblings makes commits of ours and theirs whose common parent is a commit of base. The commits have a fixed date,
// so that repeated merges make no new objects.
func (r Repo) Siblings(ctx context.Context, base, ours, theirs string) (s Sides, err error) {
	files, err := r.Resolve(ctx, base+"^{tree}", ours+"^{tree}", theirs+"^{tree}")
	if err != nil {
		return s, err
	}
	r = r.With(IdentityEnv("AUTHOR", "ocaptain", "ocaptain@ocaptain.invalid")...)
	parent, err := r.WriteCommit(Commit{Tree: files[0], Message: "base", Undated: true})
	if err != nil {
		return s, err
	}
	if s.Ours, err = r.WriteCommit(Commit{Tree: files[1], Parents: []string{parent}, Message: "branch", Undated: true}); err != nil {
		return s, err
	}
	s.Theirs, err = r.WriteCommit(Commit{Tree: files[2], Parents: []string{parent}, Message: "yours", Undated: true})
	return s, err
}

// MergeTree merges two commits and stores the merged tree. It changes no ref.
func (r Repo) MergeTree(ctx context.Context, s Sides) (Merged, error) {
	if r.Group = true; r.MergeTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.MergeTime, ErrMergeTooSlow)
		defer cancel()
	}
	b, err := r.Bytes(ctx, nil, "merge-tree", "--write-tree", "-z", "--messages", s.Ours, s.Theirs)
	if err != nil && ExitCode(err) != 1 {
		return Merged{}, err
	}
	m, parseErr := parseMerge(string(b))
	if parseErr == nil && err != nil && len(m.Clashes) == 0 {
		parseErr = fmt.Errorf("conflict without a path")
	}
	if parseErr != nil {
		return m, fmt.Errorf("git merge-tree: %w", parseErr)
	}
	return m, nil
}

// parseMerge parses the output of merge-tree: "tree, (mode object stage TAB path)…, empty field, (count, path…, kind,
// message)…", each field followed by a zero byte.
func parseMerge(s string) (Merged, error) {
	f := strings.Split(strings.TrimSuffix(s, "\x00"), "\x00")
	m := Merged{Tree: f[0]}
	if !IsObjectID(m.Tree) {
		return m, fmt.Errorf("no tree")
	}
	at := map[string]int{}
	i := 1
	for ; i < len(f) && f[i] != ""; i++ {
		info, path, ok := strings.Cut(f[i], "\t")
		parts := strings.Fields(info)
		if !ok || len(parts) != 3 {
			return m, fmt.Errorf("malformed conflict")
		}
		n, known := at[path]
		if !known {
			n = len(m.Clashes)
			at[path] = n
			m.Clashes = append(m.Clashes, Clash{Path: path})
		}
		m.Clashes[n].Stages += parts[2]
	}
	for i++; i < len(f); {
		var count int
		if _, err := fmt.Sscanf(f[i], "%d", &count); err != nil || count < 0 || i+count+2 >= len(f) {
			return m, fmt.Errorf("malformed message")
		}
		kind, message := f[i+count+1], strings.TrimSpace(f[i+count+2])
		for _, path := range f[i+1 : i+1+count] {
			if n, ok := at[path]; ok && kind != "Auto-merging" {
				m.Clashes[n].Said = strings.TrimSpace(m.Clashes[n].Said + " " + message)
			}
		}
		i += count + 3
	}
	return m, nil
}

// IdentityEnv returns the environment that sets an author or committer.
func IdentityEnv(who, name, mail string) []string {
	return []string{"GIT_" + who + "_NAME=" + name, "GIT_" + who + "_EMAIL=" + mail}
}

// Explain tells the agent what clashes and how to resolve it.
func (c Clash) Explain() string {
	what, do := c.explain()
	return what + do
}

// Describe says what clashes.
func (c Clash) Describe() string {
	what, _ := c.explain()
	return what
}

func (c Clash) explain() (what, do string) {
	switch {
	case strings.Contains(c.Said, "binary"):
		return "both sides changed this binary file", ". The tree has the branch's; yours is at " + ShipPrior + ", get it with: git show " + ShipPrior + ":PATH"
	case strings.Contains(c.Said, "CONFLICT (contents)"), strings.Contains(c.Said, "CONFLICT (content)"):
		return "both sides changed the same lines", "; they are marked in the file"
	case strings.Contains(c.Said, "CONFLICT (add/add)"):
		return "both sides added this file", "; where they differ is marked in it"
	case strings.Contains(c.Said, "(modify/delete)") && c.Stages == "12":
		return "you deleted it and the branch changed it", ". The tree has the branch's version: keep it or delete it again"
	case strings.Contains(c.Said, "(modify/delete)") && c.Stages == "13":
		return "the branch deleted it and you changed it", ". The tree has your version: keep it or delete it"
	case c.Said != "":
		return PlainText(c.Said), ""
	}
	return "the two sides can't be put together here", ": make it what it should be"
}
