package gitflow

import (
	"context"
	"fmt"
	"strings"
)

// merged is the outcome of a three-way merge.
type merged struct {
	tree    string
	clashes []clash
}

// clash is one path that needs a decision.
type clash struct {
	path   string
	stages string // which of base 1, branch 2, remote 3 have it
	said   string // what git says
}

// sides of a merge, when conflict markers shall name them by refs.
type sides struct{ ours, theirs string }

// merge merges three trees or commits, of which only the files count. It works without a working tree. Git releases
// differ in how a base can be given, but all find the one parent that two commits share.
func (r repo) merge(ctx context.Context, base, ours, theirs string) (merged, error) {
	files, err := r.resolve(ctx, base+"^{tree}", ours+"^{tree}", theirs+"^{tree}")
	if err != nil {
		return merged{}, err
	}
	switch base, ours, theirs := files[0], files[1], files[2]; {
	case theirs == base, theirs == ours:
		return merged{tree: ours}, nil
	case ours == base:
		return merged{tree: theirs}, nil
	}
	s, err := r.siblings(ctx, base, ours, theirs)
	if err != nil {
		return merged{}, err
	}
	return r.mergeTree(ctx, s)
}

// siblings makes two commits with the given files that share a parent. Being always the same, they pile up nothing.
func (r repo) siblings(ctx context.Context, base, ours, theirs string) (sides, error) {
	r = r.with("GIT_AUTHOR_DATE=@0 +0000", "GIT_COMMITTER_DATE=@0 +0000").with(identity("AUTHOR", "ocaptain", "ocaptain@ocaptain.invalid")...)
	parent, err := r.out(ctx, "commit-tree", base+"^{tree}", "-m", "base")
	if err != nil {
		return sides{}, err
	}
	var s sides
	if s.ours, err = r.out(ctx, "commit-tree", ours+"^{tree}", "-p", parent, "-m", "branch"); err != nil {
		return s, err
	}
	s.theirs, err = r.out(ctx, "commit-tree", theirs+"^{tree}", "-p", parent, "-m", "yours")
	return s, err
}

func (r repo) mergeTree(ctx context.Context, s sides) (merged, error) {
	if r.group = true; r.mergeTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.mergeTime, errSlow)
		defer cancel()
	}
	b, err := r.bytes(ctx, nil, "merge-tree", "--write-tree", "-z", "--messages", s.ours, s.theirs)
	if err != nil && exitCode(err) != 1 {
		return merged{}, err
	}
	m, parseErr := parseMerge(string(b))
	if parseErr == nil && err != nil && len(m.clashes) == 0 {
		parseErr = fmt.Errorf("conflict without a path")
	}
	if parseErr != nil {
		return m, fmt.Errorf("git merge-tree: %w", parseErr)
	}
	return m, nil
}

// parseMerge reads "tree, (mode object stage TAB path)…, nothing, (count, path…, kind, message)…", all with zero bytes.
func parseMerge(s string) (merged, error) {
	f := strings.Split(strings.TrimSuffix(s, "\x00"), "\x00")
	m := merged{tree: f[0]}
	if !isOID(m.tree) {
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
			n = len(m.clashes)
			at[path] = n
			m.clashes = append(m.clashes, clash{path: path})
		}
		m.clashes[n].stages += parts[2]
	}
	for i++; i < len(f); {
		var count int
		if _, err := fmt.Sscanf(f[i], "%d", &count); err != nil || count < 0 || i+count+2 >= len(f) {
			return m, fmt.Errorf("malformed message")
		}
		kind, message := f[i+count+1], strings.TrimSpace(f[i+count+2])
		for _, path := range f[i+1 : i+1+count] {
			if n, ok := at[path]; ok && kind != "Auto-merging" {
				m.clashes[n].said = strings.TrimSpace(m.clashes[n].said + " " + message)
			}
		}
		i += count + 3
	}
	return m, nil
}

// why says what clashes and what to do, to whoever has to resolve it.
func (c clash) why() string {
	switch {
	case strings.Contains(c.said, "binary"):
		return "both sides changed this binary file. The tree has the branch's; yours is at " + shipPrior + ", get it with: git show " + shipPrior + ":PATH"
	case strings.Contains(c.said, "CONFLICT (contents)"), strings.Contains(c.said, "CONFLICT (content)"):
		return "both sides changed the same lines; they are marked in the file"
	case strings.Contains(c.said, "CONFLICT (add/add)"):
		return "both sides added this file; where they differ is marked in it"
	case strings.Contains(c.said, "(modify/delete)") && c.stages == "12":
		return "you deleted it and the branch changed it. The tree has the branch's version: keep it or delete it again"
	case strings.Contains(c.said, "(modify/delete)") && c.stages == "13":
		return "the branch deleted it and you changed it. The tree has your version: keep it or delete it"
	case c.said != "":
		return plain(c.said)
	}
	return "the two sides can't be put together here: make it what it should be"
}
