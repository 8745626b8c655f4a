package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrMergeTooSlow says that git took longer to merge files than it may.
var ErrMergeTooSlow = errors.New("git takes too long to merge these files")

// Merged is the outcome of a three-way merge.
type Merged struct {
	Tree    string
	Clashes []Clash
}

// Clash is one path that needs a decision.
type Clash struct {
	Path   string
	Stages string // which of base 1, branch 2, remote 3 have it
	Said   string // what git says
}

// Sides of a merge, when conflict markers shall name them by refs.
type Sides struct{ Ours, Theirs string }

// Merge merges three trees or commits. Of a commit only its files count. Merge needs no working tree. Git releases
// differ in how a base can be given, but all find the one parent that two commits share.
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
	s, err := r.Siblings(ctx, base, ours, theirs)
	if err != nil {
		return Merged{}, err
	}
	return r.MergeTree(ctx, s)
}

// Siblings makes two commits with the given files that share a parent. Being always the same, they pile up nothing.
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

// MergeTree merges two sides and writes the tree that comes of it. It changes no ref.
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

// parseMerge reads "tree, (mode object stage TAB path)…, nothing, (count, path…, kind, message)…", all with zero bytes.
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

// IdentityEnv is the environment that names an author or committer.
func IdentityEnv(who, name, mail string) []string {
	return []string{"GIT_" + who + "_NAME=" + name, "GIT_" + who + "_EMAIL=" + mail}
}

// Explain says what clashes and what to do, for the agent that resolves it.
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
